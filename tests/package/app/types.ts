/** Compiled, not run: what the package's types say. Each @ts-expect-error line must be an error. */
import {
  load,
  Status,
  type FakeTensorError,
  type GuardInfo,
  type Problem,
  type Result,
  type Table,
  type Tensor,
  type TensorValue,
  type Value,
  type WhyStep,
} from "faketensor";
import address from "faketensor/wasm";
import restAddress from "faketensor/rest";
import { connect, type RemoteRun } from "faketensor/worker";

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
function same<A, B>(_: Equal<A, B>): void {}

const ft = await load({ wasm: new Uint8Array(), rest: Promise.resolve(new Uint8Array()) });
const program = ft.open(new Uint8Array(), { name: "model.pt2" });
const run = program.propagate({ dims: { batch: 4 }, device: "cuda", dtype: "bfloat16", target: "h100" });
same<ReturnType<typeof run.value>, Value | undefined>(true);
same<typeof run.problems, readonly Problem[]>(true);
const table: Table = run.table();
same<typeof table.size, Float64Array>(true);
same<typeof Status.ok, 0>(true);

const value = run.value("linear");
if (typeof value === "object" && value !== null && "t" in value) same<typeof value, TensorValue>(true);

const mode = ft.mode({ target: "cuda" });
const y = mode.call("aten::mm", [mode.empty([2, 3]), mode.empty([3, 4])], {
  alpha: 2,
  dtype: { dtype: "float64" },
});
same<typeof y, Tensor>(true);
same<typeof y.dtype, string>(true);
// Whatever a call returns may be given to the next.
const [values] = mode.call<[Tensor, Tensor]>("aten::max.dim", [y, 0]);
const anything = mode.call<Result>("aten::t", [
  values,
  mode.call<bigint | number>("aten::sym_size.int", [y, 0]),
]);
mode.call("aten::relu", [anything]);
mode.empty([...y.size, 4n, 5], { stride: y.stride });
const session = ft.session();
session.call("aten::relu", [session.call("aten::relu", [session.real([2])])]);
session.mode().define("mine::twice(Tensor x) -> Tensor", ({ x }) => session.call("aten::add.Tensor", [x, x]));

same<typeof address, string>(true);
const remote = await connect(undefined, { wasm: address, rest: restAddress });
same<Awaited<ReturnType<Awaited<ReturnType<typeof remote.open>>["propagate"]>>, RemoteRun>(true);
// Whatever a run can be asked, its twin behind the worker can be.
same<ReturnType<typeof run.guards>, GuardInfo[]>(true);
same<ReturnType<RemoteRun["why"]>, Promise<WhyStep[]>>(true);
same<ReturnType<RemoteRun["table"]>, Promise<Table>>(true);
same<Parameters<RemoteRun["node"]>, [index: number]>(true);
await remote.open(
  { path: "model.pt2" },
  { onProgress: (done, total) => done / total, signal: AbortSignal.timeout(5) },
);

try {
  run.node(3);
} catch (error) {
  same<FakeTensorError["operator"], string | undefined>(true);
  throw error;
}

// @ts-expect-error not of the package's surface
session.step({ do: "cache_info" });
// @ts-expect-error nor this
session.ask({ do: "cache_info" });
// @ts-expect-error tensors are made by modes
new (Object.getPrototypeOf(y).constructor as typeof Tensor)();
// @ts-expect-error a file name is no program: openFile takes those
ft.open("model.pt2");
// @ts-expect-error a size is a number
program.propagate({ dims: { batch: "4" } });
// @ts-expect-error there is no such option
program.propagate({ devise: "cuda" });
// @ts-expect-error plain data is not written to
run.problems.push();
// @ts-expect-error made by open() only
new (program.constructor as typeof import("faketensor").Program)();

/** What every consumer of the tests does with a file: once in this thread, once in a worker. */
import { load } from "faketensor";
import { connect } from "faketensor/worker";

export async function answers(blob, options) {
  const ft = await load(options);
  const program = ft.open(new Uint8Array(await blob.arrayBuffer()), { name: "model" });
  const here = valuesOf(program.info, program.propagate({ dims: { batch: 3 } }).table());
  const remote = await connect(undefined, options);
  const remoteProgram = await remote.open(blob, { name: "model" });
  const run = await remoteProgram.propagate({ dims: { batch: 3 } });
  const there = valuesOf(remoteProgram.info, await run.table());
  remote.terminate();
  return { here, there };
}

function valuesOf(info, table) {
  return { nodes: info.nodes, names: table.names, size: [...table.size], status: [...table.status] };
}

/**
 * Passes: functions of JavaScript as an export pass, and the call that runs passes on a program.
 *
 * A pass of functions runs the graph and writes the one that comes of it, as torch/_export/pass_base.py does: each node
 * is handed to a method, which by default calls the same thing again. Values cross as JSON (wasm/js_export_pass.h).
 */
import { wrongKind } from "./check.js";
import { Float, encode } from "./encode.js";
import type { CallGuard, Engine } from "./engine.js";
import { isPattern, type PatternPass } from "./pattern.js";
import { parseValue } from "./reply.js";
import type { ByteSource } from "./source.js";
import type { Dim, PassReport, Plain, TensorValue, Value } from "./types.js";

/** A value of the graph that a pass writes: what a node gives, and what it is like. The same node is the same object. */
export class ProxyValue {
  /** @internal */
  constructor(
    /** @internal */ readonly number: number,
    /** What is known of it: a tensor's sizes, strides and dtype, a number, a list; null for a graph. */
    readonly val: Value,
    /** The name of the graph that it is, of a higher-order operator. */
    readonly graph?: string,
  ) {}

  /** Of a tensor; else undefined. */
  get size(): readonly Dim[] | undefined {
    return this.#tensor?.size;
  }
  get dtype(): string | undefined {
    return this.#tensor?.dtype;
  }
  get device(): string | undefined {
    return this.#tensor?.device;
  }

  get #tensor(): TensorValue | undefined {
    const { val } = this;
    return typeof val === "object" && val !== null && "t" in val ? val : undefined;
  }
}

/**
 * An argument: a value of the graph, a constant (`{ dtype: "float32" }` and the like for PyTorch's enums, {@link Float}
 * for a float that is whole), or a list of arguments.
 */
export type PassArgument = ProxyValue | Float | Plain | undefined | readonly PassArgument[];

/** What is known of the node that is run, handed on to the nodes that take its place. */
export interface PassMetadata {
  readonly stackTrace: string;
  readonly nnModuleStack: string;
  readonly sourceFn: string;
}

type Kwargs = Readonly<Record<string, PassArgument>>;

/**
 * A pass to derive from, or to give functions for: `ft.exportPass({ callOperator(op, args, kwargs, meta) { … } })`. What a
 * method overrides it calls as `super.callOperator(…)`. Operators are named as in graphs: `"aten.add.Tensor"`.
 */
export class ExportPass {
  /** A call of an operator. The default writes it, and gives what it answers. */
  callOperator(
    op: string,
    args: readonly PassArgument[],
    kwargs: Kwargs = {},
    meta?: PassMetadata,
  ): PassArgument {
    return baseOf(this).call("callOperator", { op, args, kwargs, meta });
  }

  /** A function of Python on sizes: `"_operator.mul"`, `"torch.sym_max"`. */
  callSym(op: string, args: readonly PassArgument[], meta?: PassMetadata): PassArgument {
    return baseOf(this).call("callSym", { op, args, meta });
  }

  /** An element of what a node gives. */
  callGetitem(value: PassArgument, key: PassArgument, meta?: PassMetadata): PassArgument {
    return baseOf(this).call("callGetitem", { value, key, meta });
  }

  /** The graph of a higher-order operator. The default runs it as the program's own, by this pass, and gives the new one. */
  callSubmodule(graph: PassArgument, inputs: readonly PassArgument[]): PassArgument {
    return baseOf(this).call("callSubmodule", { graph, inputs });
  }

  placeholder(name: string, value: PassArgument, meta?: PassMetadata): PassArgument {
    return baseOf(this).call("placeholder", { name, value, meta });
  }

  /** What the graph returns: a list. */
  output(results: PassArgument, meta?: PassMetadata): PassArgument {
    return baseOf(this).call("output", { results, meta });
  }
}

/** Functions that take the place of an export pass's. */
export type ExportPassFunctions = Partial<ExportPass>;

type MethodName = keyof ExportPass;

/** By the name of a method, how it is called with the arguments that the engine tells. */
const methods: Readonly<Record<MethodName, (pass: ExportPass, given: Given) => PassArgument>> = {
  callOperator: (pass, { op, args, kwargs, meta }) => pass.callOperator(op, args, kwargs, meta),
  callSym: (pass, { op, args, meta }) => pass.callSym(op, args, meta),
  callGetitem: (pass, { value, key, meta }) => pass.callGetitem(value, key, meta),
  callSubmodule: (pass, { graph, inputs }) => pass.callSubmodule(graph, inputs),
  placeholder: (pass, { name, value, meta }) => pass.placeholder(name, value, meta),
  output: (pass, { results, meta }) => pass.output(results, meta),
};

/** The members that the arguments of a method have, each of some. */
interface Given {
  readonly op: string;
  readonly args: readonly PassArgument[];
  readonly kwargs: Kwargs;
  readonly value: PassArgument;
  readonly key: PassArgument;
  readonly graph: PassArgument;
  readonly inputs: readonly PassArgument[];
  readonly name: string;
  readonly results: PassArgument;
  readonly meta: PassMetadata;
}

/** The functions of an object as a pass, whose `super` is {@link ExportPass}. */
export function exportPass<Functions extends ExportPassFunctions & ThisType<ExportPass>>(
  functions: Functions,
): Functions & ExportPass {
  if (typeof functions !== "object" || (functions as unknown) === null)
    throw wrongKind("an export pass", "an object of functions", functions);
  for (const [name, value] of Object.entries(functions)) {
    // Others are the pass's own.
    if (name in methods && typeof value !== "function") throw wrongKind(name, "a function", value);
  }
  // What `super` is in an object's methods is its prototype.
  return Object.setPrototypeOf(functions, ExportPass.prototype) as Functions & ExportPass;
}

/** What runs a pass's own methods, while it runs. */
const running = new WeakMap<ExportPass, PassRun>();

function baseOf(pass: ExportPass): PassRun {
  const run = running.get(pass);
  if (!run) throw new TypeError("an export pass's methods are for its functions, while it runs");
  return run;
}

/** One pass on its way through a graph. */
class PassRun {
  readonly #proxies = new Map<number, ProxyValue>();
  /** What an array is in Python where it is no list; a dictionary's elements are [key, value]. */
  readonly #kinds = new WeakMap<readonly PassArgument[], "tuple" | "dict">();
  #failed: unknown;

  constructor(
    private readonly engine: Engine,
    private readonly pass: ExportPass,
    private readonly guard: CallGuard,
  ) {}

  /** Called by the engine for a node; null where the function throws. */
  readonly answer = (method: string, text: string): string | null => {
    const outer = running.get(this.pass);
    running.set(this.pass, this);
    const answer = this.guard.protect(() => {
      try {
        return this.#encode(methods[method as MethodName](this.pass, this.#decode(text) as Given));
      } catch (error) {
        // The engine's own error goes on there, which says with it which node was run.
        if (error === this.#failed) return '{"again":true}';
        throw error;
      }
    });
    if (outer) running.set(this.pass, outer);
    else running.delete(this.pass);
    return answer;
  };

  /** What the pass overrides. */
  call(
    method: MethodName,
    given: Partial<Omit<Given, "meta">> & { meta?: PassMetadata | undefined },
  ): PassArgument {
    const { meta, ...args } = given;
    // Metadata is known by its number; a caller's own object says nothing.
    const text = this.#encode({ ...args, ...(meta && { meta: { m: (meta as { m?: number }).m } }) });
    try {
      const reply = this.engine.raw((exports) => exports.callBase(method, text));
      this.engine.json(() => reply);
      return this.#decode(reply) as PassArgument;
    } catch (error) {
      this.#failed = error;
      throw error;
    }
  }

  #encode(value: unknown): string {
    return encode(this.#boxed(value), (object) => {
      if (!(object instanceof ProxyValue)) return undefined;
      if (this.#proxies.get(object.number) !== object)
        throw new TypeError("a value of another run of a pass");
      return `{"p":${object.number}}`;
    });
  }

  /** Tuples and dictionaries, which are arrays here, are told from lists. */
  #boxed(value: unknown): unknown {
    if (Array.isArray(value)) {
      const items = value.map((item) => this.#boxed(item));
      const kind = this.#kinds.get(value as readonly PassArgument[]);
      return kind ? { [kind]: items } : items;
    }
    if (typeof value !== "object" || value === null || value instanceof ProxyValue || value instanceof Float)
      return value;
    return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, this.#boxed(field)]));
  }

  #decode(text: string): unknown {
    return this.#revive(parseValue(text));
  }

  #revive(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#revive(item));
    if (typeof value !== "object" || value === null) return value;
    if ("p" in value) return this.#proxy(value as { p: number; val?: Value; graph?: string });
    if ("float" in value) return new Float(value.float as number);
    for (const kind of ["tuple", "dict"] as const) {
      if (!(kind in value)) continue;
      const list = this.#revive((value as Record<string, unknown>)[kind]) as readonly PassArgument[];
      this.#kinds.set(list, kind);
      return list;
    }
    return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, this.#revive(field)]));
  }

  #proxy({ p, val = null, graph }: { p: number; val?: Value; graph?: string }): ProxyValue {
    let proxy = this.#proxies.get(p);
    if (!proxy) this.#proxies.set(p, (proxy = new ProxyValue(p, val, graph)));
    return proxy;
  }
}

/**
 * What {@link Program.runPass} takes: a name of `ft.passes()` with its argument, `"split_by_tags/4"`, a pattern, or a pass
 * of functions.
 */
export type Pass = string | PatternPass | ExportPass;

/** What a pass found comes as the text of JSON. */
interface ToldPass {
  readonly name: string;
  readonly modified: boolean;
  readonly info: string | null;
}

interface PassesReply extends Omit<PassReport, "modified" | "text"> {
  readonly refusal: { readonly class: string; readonly message: string } | null;
  readonly weights: { readonly class: string; readonly message: string } | null;
}

/** What came of passes, and the bytes of the program: JSON, or where it has no such form (`refusal`) its text. */
export function runPasses(
  engine: Engine,
  source: ByteSource,
  name: string,
  passes: readonly Pass[],
  guard: CallGuard,
): PassesReply & { readonly bytes: ArrayBuffer } {
  const functions: PassRun["answer"][] = [];
  const wanted = passes.map((pass) => {
    if (typeof pass === "string") return pass;
    if (!(pass instanceof ExportPass)) {
      if (isPattern(pass)) return { pattern: pass.pattern, replacement: pass.replacement };
      throw wrongKind("a pass", "a name, a pattern or what exportPass() gives", pass);
    }
    functions.push(new PassRun(engine, pass, guard).answer);
    const overridden = (Object.keys(methods) as MethodName[]).filter(
      (method) => pass[method] !== ExportPass.prototype[method],
    );
    return { function: functions.length - 1, methods: overridden };
  });
  const text = JSON.stringify(wanted);
  const reply = guard.run(() =>
    engine.json<Omit<PassesReply, "passes"> & { readonly passes: readonly ToldPass[] }>((exports) =>
      exports.runPasses(guard.source(source), name, text, functions),
    ),
  );
  const bytes = engine.buffer((exports) => exports.columns("engine.written", 0, "{}"));
  const told = reply.passes.map(({ name: pass, modified, info }) => ({
    name: pass,
    modified,
    info: info === null ? null : (JSON.parse(info) as Plain),
  }));
  return { ...reply, passes: told, bytes };
}

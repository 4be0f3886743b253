/// <reference lib="esnext.disposable" preserve="true" />
/**
 * Objects that own something in wasm memory: `dispose()` frees it at once, `using` does so at the end of a block, and
 * an object that was forgotten is freed after the garbage collector finds it.
 */
import type { Engine, EngineExports } from "./engine.js";

const forgotten = new FinalizationRegistry<() => void>((release) => {
  release();
});

export abstract class EngineResource {
  /** Where the platform has `Symbol.dispose`: {@link dispose}, called at the end of a block by `using`. */
  declare readonly [Symbol.dispose]: () => void;
  #release: (() => void) | undefined;

  /** `close` frees it in the engine; it must not hold on to this object, or that is never collected. */
  protected constructor(
    /** @internal */ readonly engine: Engine,
    close: (exports: EngineExports) => void,
  ) {
    const release = (): void => {
      engine.release(close);
    };
    this.#release = release;
    forgotten.register(this, release, this);
  }

  get disposed(): boolean {
    return this.#release === undefined;
  }

  /** Frees what this object holds in the engine. Doing so twice is fine; using the object afterwards is an error. */
  dispose(): void {
    const release = this.#release;
    if (!release) return;
    this.#release = undefined;
    forgotten.unregister(this);
    release();
  }

  protected assertAlive(): void {
    if (this.disposed) throw new TypeError(`this ${this.constructor.name} has been disposed`);
  }
}

/** Makes `using` dispose of a class's objects. Not in every browser yet; where the symbol is missing, `using` is not either. */
export function disposedByUsing(prototype: { dispose(): void }): void {
  if (typeof Symbol.dispose !== "symbol") return;
  Object.defineProperty(prototype, Symbol.dispose, {
    value(this: { dispose(): void }) {
      this.dispose();
    },
  });
}

disposedByUsing(EngineResource.prototype);

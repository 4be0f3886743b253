/** What the tensors of modes and of sessions show: their metadata as it is now. */
import type { Dim, TensorValue } from "./types.js";

export abstract class TensorFields {
  /** Tensors are made by modes and sessions. */
  protected constructor() {
    // Nothing is kept here.
  }

  /** Number of the tensor in its mode or session. */
  abstract get id(): number;
  /** @internal */
  protected abstract now(): TensorValue;

  get size(): readonly Dim[] {
    return this.now().size;
  }
  /** In elements; empty for sparse tensors. */
  get stride(): readonly Dim[] {
    return this.now().stride ?? [];
  }
  get offset(): Dim {
    return this.now().offset ?? 0;
  }
  get dtype(): string {
    return this.now().dtype;
  }
  get device(): string {
    return this.now().device;
  }
  get layout(): string {
    return this.now().layout ?? "strided";
  }
  /** Tensors that alias have the same number; -1 for sparse tensors. */
  get storage(): number {
    return this.now().storage ?? -1;
  }
  /** Bytes of the whole storage. */
  get nbytes(): Dim {
    return this.now().nbytes ?? 0;
  }

  /** Everything as plain data. */
  toJSON(): TensorValue {
    return this.now();
  }
}

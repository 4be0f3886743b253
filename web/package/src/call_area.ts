/**
 * The arguments of one operator call and its answer as a row of doubles in wasm memory: the quick way across the
 * boundary, without text. The other side, with the layout, is wasm/call_area.h. What does not fit goes as JSON.
 */
import type { Engine } from "./engine.js";
import type { EngineInfo, TensorValue } from "./types.js";

/** PackedTag of wasm/call_area.h. */
const Tag = {
  none: 0,
  unset: 1,
  false: 2,
  true: 3,
  int: 4,
  float: 5,
  tensor: 6,
  list: 7,
  constant: 8,
} as const;

/** What reading an answer needs from its mode. */
export interface AnswerReader<Tensor> {
  /** The argument of the call with that number. */
  argument(id: number): Tensor;
  tensor(meta: TensorValue): Tensor;
}

export type Packed<Tensor> = null | boolean | number | Tensor | readonly Packed<Tensor>[];

export class CallArea {
  #slots: Float64Array;
  #at = 0;
  #changed = false;
  readonly #devices = new Map<number, string>();

  constructor(
    private readonly engine: Engine,
    private readonly info: EngineInfo,
  ) {
    this.#slots = engine.raw((exports) => exports.callArea());
  }

  /** Begins a call of `count` arguments; growth of the memory since the last one has detached the view. */
  start(count: number): void {
    if (this.#slots.length === 0) this.#slots = this.engine.raw((exports) => exports.callArea());
    this.#at = 0;
    this.#put(count);
  }

  /** A row of numbers alone, whose count the other side is told. */
  numbers(values: readonly number[]): void {
    this.start(0);
    this.#at = 0;
    for (const value of values) this.#put(value);
  }

  /** False when the arguments no longer fit. */
  get fits(): boolean {
    return this.#at <= this.#slots.length;
  }

  none(): void {
    this.#put(Tag.none);
  }
  unset(): void {
    this.#put(Tag.unset);
  }
  boolean(value: boolean): void {
    this.#put(value ? Tag.true : Tag.false);
  }
  int(value: number): void {
    this.#put(Tag.int);
    this.#put(value);
  }
  float(value: number): void {
    this.#put(Tag.float);
    this.#put(value);
  }
  tensor(id: number): void {
    this.#put(Tag.tensor);
    this.#put(id);
  }
  /** Its `count` values follow. */
  list(count: number): void {
    this.#put(Tag.list);
    this.#put(count);
  }
  constant(number: number): void {
    this.#put(Tag.constant);
    this.#put(number);
  }

  /** The answer; {@link changed} holds for the same call. */
  answer<Tensor>(reader: AnswerReader<Tensor>): Packed<Tensor> {
    if (this.#slots.length === 0) this.#slots = this.engine.raw((exports) => exports.callArea());
    this.#at = 0;
    const value = this.#value(reader);
    this.#changed = this.#take() === 1;
    return value;
  }

  /** Whether the call changed what tensors are like. */
  get changed(): boolean {
    return this.#changed;
  }

  #value<Tensor>(reader: AnswerReader<Tensor>): Packed<Tensor> {
    switch (this.#take()) {
      case Tag.false:
        return false;
      case Tag.true:
        return true;
      case Tag.int:
        return this.#take();
      case Tag.tensor:
        return this.#tensor(reader);
      case Tag.list:
        return Array.from({ length: this.#take() }, () => this.#value(reader));
      default:
        return null;
    }
  }

  #tensor<Tensor>(reader: AnswerReader<Tensor>): Tensor {
    const t = this.#take();
    if (this.#take() === 1) return reader.argument(t);
    const rank = this.#take();
    const size = this.#dims(rank);
    const stride = this.#dims(rank);
    const offset = this.#take();
    const dtype = this.info.dtypes[this.#take()] ?? "";
    const device = this.#device(this.#take(), this.#take());
    const storage = this.#take();
    return reader.tensor({ t, size, stride, offset, dtype, device, storage, nbytes: this.#take() });
  }

  #dims(rank: number): number[] {
    const dims: number[] = [];
    for (let i = 0; i < rank; i++) dims.push(this.#take());
    return dims;
  }

  /** "cuda:0"; an index of -1 is none. */
  #device(type: number, index: number): string {
    const key = type * 256 + index;
    let name = this.#devices.get(key);
    if (name === undefined) {
      name = (this.info.deviceTypes[type] ?? "") + (index < 0 ? "" : `:${index}`);
      this.#devices.set(key, name);
    }
    return name;
  }

  #put(value: number): void {
    this.#slots[this.#at++] = value;
  }
  #take(): number {
    return this.#slots[this.#at++] ?? 0;
  }
}

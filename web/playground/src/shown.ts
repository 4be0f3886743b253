/** What is on the page: a program with one run of it, as it is drawn. */
import type { Answer, Answers } from "./answers.js";
import type { DeviceAnswer } from "./device_question.js";
import type { Engine, Program } from "./engine.js";
import type { MemoryProfile } from "./memory_profile.js";
import type { Model } from "./model.js";
import type { Scene } from "./scene.js";
import type { PageState } from "./state.js";

/** Where a program came from: a built-in example, which an address can name, or a file of the user. */
export interface Source {
  readonly kind: "example" | "file";
  /** The example's id, or the file's name. */
  readonly name: string;
  readonly blob: Blob;
  /** It was typed: errors in it leave the rest a program. */
  readonly text?: string;
  /** The same for an address, where it is short. */
  readonly code?: string | undefined;
  /** Opens it without the engine, which is then asked for what was not stored. */
  readonly engine?: Engine;
}

export interface Shown {
  readonly source: Source;
  readonly program: Program;
  readonly answers: Answers;
  answer: Answer;
  model: Model;
  scene: Scene;
  /** Of the answer, or of the one before it while that is worked out. */
  profile: MemoryProfile | null;
  /** The same of what fits on which device, and of time. */
  devices: DeviceAnswer | null;
  /** Of which this is the answer; what is wanted may be ahead of it. */
  state: PageState;
}

/**
 * Opens a program, as an address asks as far as the program has it. A file that can be read opens whatever the address
 * says: what does not fit is left out and told. Where opening fails or is aborted, nothing of it stays in the engine.
 */
import { Answers, type Answer } from "./answers.js";
import type { Engine, Layout, Program, ProgramInfo, Progressing } from "./engine.js";
import { chooseExpanded } from "./expansion.js";
import { Model } from "./model.js";
import { stateOf, whatIfOf } from "./permalink.js";
import { isFloatSymbol, isSymbol, settingText } from "./settings.js";
import {
  isAsInFile,
  kAsInFile,
  withDecisions,
  withDims,
  withDynamic,
  type PageState,
  type WhatIf,
} from "./state.js";
import type { Address } from "./url_state.js";

export interface Opened {
  readonly program: Program;
  readonly answers: Answers;
  readonly answer: Answer;
  readonly model: Model;
  readonly layout: Layout;
  readonly state: PageState;
  /** What is open unless the user says. */
  readonly automatic: readonly number[];
  /** Parts of the address that do not fit the program, each with the reason if there is more to say. */
  readonly misfits: readonly string[];
}

export interface OpeningSteps {
  readonly signal: AbortSignal;
  readonly reading: (done: number, total: number) => void;
  /** The file has been read. */
  readonly read: () => void;
  readonly propagating: (done: number, total: number) => void;
}

export async function openProgram(
  engine: Engine,
  file: { readonly name: string; readonly blob: Blob; readonly text?: string },
  address: Address,
  steps: OpeningSteps,
): Promise<Opened> {
  const { signal } = steps;
  const { name, blob } = file;
  const keepGoing = file.text !== undefined;
  const program = await engine.open(blob, {
    name,
    signal,
    onProgress: steps.reading,
    keepGoing,
    sections: true,
    bodies: true,
  });
  const answers = new Answers(program);
  try {
    steps.read();
    const fitting = await answerWhatFits(program.info, answers, address, {
      signal,
      onProgress: steps.propagating,
    });
    const { answer } = fitting;
    const model = modelOf(program, answer);
    const automatic = chooseExpanded(program.info.modules);
    const { state, misfits } = stateOf(model, { ...address, ...fitting.whatIf }, automatic);
    const { expanded, plumbing } = state;
    const layout = await program.layout({ expanded, plumbing });
    signal.throwIfAborted();
    const left = [...address.unread, ...fitting.misfits, ...misfits];
    return { program, answers, answer, model, layout, state, automatic, misfits: left };
  } catch (error) {
    answers.dispose();
    void program.dispose();
    throw error;
  }
}

export function modelOf({ info }: Program, answer: Answer): Model {
  return new Model(
    info,
    answer.table,
    answer.problems,
    answer.milliseconds,
    answer.symbolic,
    answer.run.assumed,
  );
}

/** One edit of an address: as it is written there, and what it adds to others. */
interface Edit {
  readonly text: string;
  readonly misfit: string | null;
  added(whatIf: WhatIf): WhatIf;
}

interface Fitting {
  readonly answer: Answer;
  readonly whatIf: WhatIf;
  readonly misfits: readonly string[];
}

/** The engine judges what it can answer; an edit that it refuses is left out, and only then they are tried one by one. */
async function answerWhatFits(
  info: ProgramInfo,
  answers: Answers,
  address: Address,
  progressing: Progressing,
): Promise<Fitting> {
  const edits = editsOf(info, address);
  const misfits = edits
    .filter(({ misfit }) => misfit !== null)
    .map(({ text, misfit }) => `${text} (${misfit})`);
  const possible = edits.filter(({ misfit }) => misfit === null);
  const take = async (whatIf: WhatIf): Promise<Answer> => {
    const answer = await answers.answer(whatIf, progressing);
    answers.keep(answer);
    return answer;
  };
  const all = possible.reduce((whatIf, edit) => edit.added(whatIf), kAsInFile);
  try {
    return { answer: await take(all), whatIf: all, misfits };
  } catch (error) {
    if (isAbort(error) || isAsInFile(all)) throw error;
  }
  let whatIf = kAsInFile;
  let answer = await take(whatIf);
  for (const edit of possible) {
    const more = edit.added(whatIf);
    try {
      answer = await take(more);
      whatIf = more;
    } catch (error) {
      if (isAbort(error)) throw error;
      misfits.push(`${edit.text} (${error instanceof Error ? error.message : String(error)})`);
    }
  }
  return { answer, whatIf, misfits };
}

function editsOf(info: ProgramInfo, address: Address): Edit[] {
  const { dims, dynamic, dtype, device, assume, literal } = whatIfOf(address);
  const edits: Edit[] = Object.entries(dynamic).map(([name, range]) => ({
    text: `dynamic=${name}:${settingText(range)}`,
    misfit: null,
    added: (whatIf) => withDynamic(whatIf, [name], range),
  }));
  for (const edit of sizeEdits(info, { dims, dynamic })) edits.push(edit);
  if (dtype !== null)
    edits.push({ text: `dtype=${dtype}`, misfit: null, added: (whatIf) => ({ ...whatIf, dtype }) });
  if (device !== null)
    edits.push({ text: `device=${device}`, misfit: null, added: (whatIf) => ({ ...whatIf, device }) });
  for (const [site, choice] of Object.entries(assume)) {
    const added = (whatIf: WhatIf): WhatIf => withDecisions(whatIf, [site], choice);
    edits.push({ text: `assume=${site}:${choice}`, misfit: null, added });
  }
  if (literal) edits.push({ text: "literal=1", misfit: null, added: (whatIf) => ({ ...whatIf, literal }) });
  return edits;
}

function sizeEdits(info: ProgramInfo, { dims, dynamic }: Pick<WhatIf, "dims" | "dynamic">): Edit[] {
  return Object.entries(dims).map(([name, setting]) => ({
    text: `set=${name}:${settingText(setting)}`,
    misfit: isFloatSymbol(name)
      ? `${name} is a number, no size`
      : typeof setting !== "number" && !isSymbol(info, name, dynamic)
        ? `${name} takes one number, no range`
        : null,
    added: (whatIf) => withDims(whatIf, [name], setting),
  }));
}

/** The notice about an address that did not fit; null where all of it did. */
export function misfitSentence(misfits: readonly string[], name: string): string | null {
  if (misfits.length === 0) return null;
  const told = misfits.slice(0, kTold).join("; ");
  const more = misfits.length > kTold ? `; and ${misfits.length - kTold} more` : "";
  return `Not everything in the link fits ${name}. Left out: ${told}${more}.`;
}

const kTold = 5;

export function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === "AbortError";
}

/** How long a step takes on a device, by row and by module: a {@link TimeReport} as columns. */
import type { TimeReport } from "./engine.js";
import type { Model } from "./model.js";

export class TimeProfile {
  readonly device: string;
  readonly total: number;
  private readonly rows: Float64Array;
  private readonly modules: Float64Array;

  constructor(
    /** Of the run whose rows these are. */
    readonly model: Model,
    readonly report: TimeReport,
  ) {
    this.device = report.target;
    this.total = report.seconds;
    this.rows = new Float64Array(model.table.length);
    for (const { row, seconds } of report.nodes) this.rows[row] = seconds;
    const { modules } = model.info;
    this.modules = new Float64Array(modules.length);
    for (const { id, path } of modules) this.modules[id] = report.modules[path] ?? 0;
    this.modules[0] = report.seconds;
  }

  secondsOf(row: number): number {
    return this.rows[row] ?? 0;
  }

  /** With what is below it. */
  secondsIn(module: number): number {
    return this.modules[module] ?? 0;
  }
}

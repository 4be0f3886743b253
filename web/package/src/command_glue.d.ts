/** The same of the command, faketensor-command.mjs. */
import type { CreateModule } from "./glue.js";
declare const createModule: CreateModule;
export default createModule;

import { openAsBlob } from "node:fs";
import { answers } from "./answers.js";

console.log(JSON.stringify(await answers(await openAsBlob(process.argv[2]))));

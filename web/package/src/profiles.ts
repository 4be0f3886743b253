/**
 * Op profiles (`torch._library.fake_profile`): what was seen of an operator stands in for the fake that it does not have.
 *
 * ```ts
 * const profiles = ft.profiles.parse(yaml);
 * mode.withProfiles(profiles, () => mode.call("mylib::foo", [x])); // sizes are fresh symbols
 * ft.profiles.stringify(profiles); // PyTorch's YAML, byte for byte
 * ```
 */
import { checkText, toJson } from "./check.js";
import type { Engine } from "./engine.js";
import type { OpProfiles } from "./types.js";

export class Profiles {
  /** @internal */
  constructor(private readonly engine: Engine) {}

  /** Reads PyTorch's form and the superset of it. Throws what PyTorch raises. */
  parse(yaml: string): OpProfiles {
    checkText("the YAML of profiles", yaml);
    return this.engine.ask<OpProfiles>("engine.parseProfiles", 0, { yaml });
  }

  /** The text that `generate_yaml_from_profiles` writes. */
  stringify(profiles: OpProfiles): string {
    toJson("profiles", profiles); // refuses what is none
    return this.engine.ask<string>("engine.formatProfiles", 0, { profiles });
  }
}

/** Whether a YAML file describes a device, and not profiles of operators. */
export function isDeviceFile(yaml: string): boolean {
  return /^(memory|flops|pytorch|launch|link)\s*:/m.test(yaml) && !/^operators\s*:/m.test(yaml);
}

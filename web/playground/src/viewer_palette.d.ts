/** The custom properties of styles/base.css, in both themes: the package's build writes this module from them. */
export declare const kLight: string;
export declare const kDark: string;

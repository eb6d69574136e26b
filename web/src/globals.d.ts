/** True in the build that is one file: what needs a server is left out of it. */
declare const __OFFLINE__: boolean;

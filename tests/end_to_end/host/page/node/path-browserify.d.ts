/** The package has no types; it is Node's own POSIX `path`. */
declare module "path-browserify" {
  import { posix } from "node:path";
  export default posix;
}

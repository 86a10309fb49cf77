/** What does the protocol take at most? */

/** Characters of a query. What is typed beyond is not searched for. */
export const MAX_QUERY_CHARS = 4_096;

/** What does the plugin send to the sidecar? */

/**
 * The requests and notifications that the page sends while something is done.
 *
 * @param {import("playwright-core").Page} page
 * @param {() => Promise<void>} act
 * @returns {Promise<{ id?: number, method: string, params: Record<string, unknown> }[]>}
 */
export async function sentRequests(page, act) {
  const session = await page.context().newCDPSession(page);
  /** @type {{ id?: number, method: string, params: Record<string, unknown> }[]} */
  const sent = [];
  session.on("Network.webSocketFrameSent", ({ response }) => sent.push(JSON.parse(response.payloadData)));
  await session.send("Network.enable");
  await act();
  await session.detach();
  return sent;
}

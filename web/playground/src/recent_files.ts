/**
 * The files that were opened last, kept by the browser on this machine (IndexedDB), so that a reload or a link of a file
 * finds it again. A convenience: a browser that keeps nothing, or has no room, only forgets.
 */
export interface RecentFile {
  readonly name: string;
  readonly blob: Blob;
  readonly opened: number;
}

const kDatabase = "faketensor";
const kStore = "recent";
const kMost = 6;
const kMostBytes = 256 * 2 ** 20;

/** The last file of each name, the newest first. */
export async function recentFiles(): Promise<RecentFile[]> {
  const files = await ask("readonly", (store) => store.getAll() as IDBRequest<RecentFile[]>);
  return (files ?? []).sort((a, b) => b.opened - a.opened);
}

export async function rememberFile(name: string, blob: Blob): Promise<void> {
  if (blob.size > kMostBytes) return;
  await ask("readwrite", (store) => store.put({ name, blob, opened: Date.now() }));
  let bytes = 0;
  for (const [i, file] of (await recentFiles()).entries()) {
    bytes += file.blob.size;
    if (i >= kMost || bytes > kMostBytes) await ask("readwrite", (store) => store.delete(file.name));
  }
}

export async function forgetFiles(): Promise<void> {
  await ask("readwrite", (store) => store.clear());
}

async function ask<Result>(
  mode: IDBTransactionMode,
  question: (store: IDBObjectStore) => IDBRequest<Result>,
): Promise<Result | undefined> {
  try {
    const database = await promised(openDatabase());
    const transaction = database.transaction(kStore, mode);
    const request = question(transaction.objectStore(kStore));
    return await new Promise<Result>((resolve, reject) => {
      transaction.oncomplete = () => {
        resolve(request.result);
      };
      transaction.onabort = transaction.onerror = () => {
        reject(transaction.error ?? new Error("the browser kept nothing"));
      };
    }).finally(() => {
      database.close();
    });
  } catch {
    return undefined; // forbidden, or full
  }
}

function openDatabase(): IDBOpenDBRequest {
  const request = indexedDB.open(kDatabase, 1);
  request.onupgradeneeded = () => {
    request.result.createObjectStore(kStore, { keyPath: "name" });
  };
  return request;
}

function promised<Result>(request: IDBRequest<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => {
      resolve(request.result);
    };
    request.onerror = () => {
      reject(request.error ?? new Error("the browser gave no database"));
    };
  });
}

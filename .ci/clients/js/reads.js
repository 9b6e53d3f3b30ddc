// @aws-sdk/client-s3 reads the data set: listings, every object, ranges, heads, errors, presigned URLs by fetch.
import {
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  paginateListObjectsV2,
} from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { Bucket, s3 } from "./client.js";
import * as expected from "./expected.js";
import { below, described, objects, ranges, same, sameBytes } from "./expected.js";

await listEverything();
for (const prefix of ["", "names/", "sales/"]) {
  await listFolder(prefix);
}
await readEverything();
await readRanges();
await readMetadata();
await missing();
await presigned();

async function listEverything() {
  const found = [];
  for await (const page of paginateListObjectsV2({ client: s3, pageSize: Number(expected.PAGE) }, { Bucket })) {
    found.push(...page.Contents.map(({ Key, Size }) => [Key, Size]));
  }
  same("keys and sizes", found, objects.map(({ key, size }) => [key, size]));
}

async function listFolder(prefix) {
  const page = await s3.send(new ListObjectsV2Command({ Bucket, Prefix: prefix, Delimiter: "/" }));
  const found = {
    folders: (page.CommonPrefixes ?? []).map(({ Prefix }) => Prefix),
    files: (page.Contents ?? []).map(({ Key }) => Key),
  };
  same(`listing of '${prefix}'`, found, below(prefix));
}

async function readEverything() {
  for (const { key, sha256 } of objects) {
    const answer = await s3.send(new GetObjectCommand({ Bucket, Key: key }));
    sameBytes(key, await answer.Body.transformToByteArray(), sha256);
  }
}

async function readRanges() {
  for (const { key, header, first, last, sha256 } of ranges) {
    const answer = await s3.send(new GetObjectCommand({ Bucket, Key: key, Range: header }));
    const { size } = objects.find((one) => one.key === key);
    same(`Content-Range of ${header} of ${key}`, answer.ContentRange, `bytes ${first}-${last}/${size}`);
    sameBytes(`${header} of ${key}`, await answer.Body.transformToByteArray(), sha256);
  }
}

async function readMetadata() {
  for (const { key, contentType, cacheControl, name, value } of described) {
    const head = await s3.send(new HeadObjectCommand({ Bucket, Key: key }));
    same(`Content-Type of ${key}`, head.ContentType, contentType);
    same(`Cache-Control of ${key}`, head.CacheControl, cacheControl);
    same(`metadata of ${key}`, head.Metadata, { [name]: value });
  }
}

async function missing() {
  const error = await s3.send(new GetObjectCommand({ Bucket, Key: "no/such/key" })).catch((thrown) => thrown);
  same("error of a missing key", error.name, "NoSuchKey");
}

async function presigned() {
  for (const { key, sha256 } of objects.filter((one) => one.key.startsWith("names/"))) {
    const url = await getSignedUrl(s3, new GetObjectCommand({ Bucket, Key: key }), { expiresIn: 300 });
    const answer = await fetch(url);
    const body = Buffer.from(await answer.arrayBuffer());
    same(`${url} ${answer.status < 300 ? "" : body}`, answer.status, 200);
    sameBytes(url, body, sha256);
  }
}

// @aws-sdk/client-s3 writes: every object, parts by hand, checksums, conditions, presigned URLs by fetch, copies, deletes.
import { readFileSync } from "node:fs";
import {
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  UploadPartCommand,
} from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { Bucket, s3 } from "./client.js";
import { EXPECTED, objects, same, sameBytes } from "./expected.js";

const LARGE = objects.find(({ key }) => key === "sizes/large/20MiB+1");

await putEverything();
await putParts();
for (const algorithm of ["CRC32", "CRC32C", "CRC64NVME", "SHA1", "SHA256"]) {
  await putChecked(algorithm);
}
await putOnCondition();
await putPresigned();
await copyAndDelete();

function content({ key }) {
  return readFileSync(`${EXPECTED}/tree/${key}`);
}

async function read(Key) {
  const answer = await s3.send(new GetObjectCommand({ Bucket, Key }));
  return Buffer.from(await answer.Body.transformToByteArray());
}

async function putEverything() {
  for (const one of objects) {
    await s3.send(new PutObjectCommand({ Bucket, Key: one.key, Body: content(one), ContentType: "text/x-shown", Metadata: { n: "1" } }));
    sameBytes(one.key, await read(one.key), one.sha256);
  }
  const head = await s3.send(new HeadObjectCommand({ Bucket, Key: LARGE.key }));
  same("head", [head.ContentType, head.Metadata], ["text/x-shown", { n: "1" }]);
}

async function putParts() {
  const Key = "parts/ä + %";
  const whole = content(LARGE);
  const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ Bucket, Key }));
  const pieces = [0, 1, 2].map((n) => whole.subarray(n * 8 * 1024 * 1024, (n + 1) * 8 * 1024 * 1024));
  const send = async (Body, n) => {
    const { ETag } = await s3.send(new UploadPartCommand({ Bucket, Key, UploadId, PartNumber: n + 1, Body }));
    return { ETag, PartNumber: n + 1 };
  };
  const Parts = await Promise.all(pieces.map(send));
  await s3.send(new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts } }));
  sameBytes(Key, await read(Key), LARGE.sha256);
}

async function putChecked(ChecksumAlgorithm) {
  const Key = `checked/${ChecksumAlgorithm}`;
  const stored = await s3.send(new PutObjectCommand({ Bucket, Key, Body: `by ${ChecksumAlgorithm}`, ChecksumAlgorithm }));
  const head = await s3.send(new HeadObjectCommand({ Bucket, Key, ChecksumMode: "ENABLED" }));
  const field = `Checksum${ChecksumAlgorithm}`;
  same(field, [typeof head[field], head[field]], ["string", stored[field]]);
  same(Key, String(await read(Key)), `by ${ChecksumAlgorithm}`);
}

async function putOnCondition() {
  const Key = "conditions/one";
  const { ETag } = await s3.send(new PutObjectCommand({ Bucket, Key, Body: "first", IfNoneMatch: "*" }));
  await refused({ Bucket, Key, Body: "other", IfNoneMatch: "*" });
  await s3.send(new PutObjectCommand({ Bucket, Key, Body: "second", IfMatch: ETag }));
  await refused({ Bucket, Key, Body: "third", IfMatch: ETag });
  same("what is kept", String(await read(Key)), "second");
}

async function refused(input) {
  const error = await s3.send(new PutObjectCommand(input)).catch((thrown) => thrown);
  same(`error of ${input.Body}`, error.name, "PreconditionFailed");
}

async function putPresigned() {
  for (const { key } of objects.filter((one) => one.key.startsWith("names/"))) {
    const Key = `presigned/${key}`;
    const url = await getSignedUrl(s3, new PutObjectCommand({ Bucket, Key }), { expiresIn: 300 });
    const answer = await fetch(url, { method: "PUT", body: key });
    same(`${url} ${await answer.text()}`, answer.status, 200);
    same(Key, String(await read(Key)), key);
  }
}

async function copyAndDelete() {
  const names = objects.filter((one) => one.key.startsWith("names/"));
  for (const { key, sha256 } of names) {
    const CopySource = encodeURIComponent(`${Bucket}/${key}`);
    await s3.send(new CopyObjectCommand({ Bucket, Key: `copied/${key}`, CopySource }));
    sameBytes(`copied/${key}`, await read(`copied/${key}`), sha256);
  }
  const Objects = names.map(({ key }) => ({ Key: key }));
  const { Deleted } = await s3.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }));
  same("deleted", Deleted.map(({ Key }) => Key).sort(), names.map(({ key }) => key).sort());
  const { KeyCount } = await s3.send(new ListObjectsV2Command({ Bucket, Prefix: "names/" }));
  same("what is left", KeyCount, 0);
}

// The client as the checks use it: path style, one attempt, so that nothing is mended in silence.
import { S3Client } from "@aws-sdk/client-s3";
import * as expected from "./expected.js";

export const Bucket = expected.BUCKET;

export const s3 = new S3Client({
  endpoint: expected.ENDPOINT,
  region: expected.REGION,
  credentials: { accessKeyId: expected.ACCESS_KEY, secretAccessKey: expected.SECRET_KEY },
  forcePathStyle: true,
  maxAttempts: 1,
});

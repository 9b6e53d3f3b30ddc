package io.millrace.clients;

import static io.millrace.clients.Expected.same;
import static io.millrace.clients.Expected.sameBytes;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.ChecksumAlgorithm;
import software.amazon.awssdk.services.s3.model.ChecksumMode;
import software.amazon.awssdk.services.s3.model.CompletedPart;
import software.amazon.awssdk.services.s3.model.HeadObjectResponse;
import software.amazon.awssdk.services.s3.model.ObjectIdentifier;
import software.amazon.awssdk.services.s3.model.S3Exception;
import software.amazon.awssdk.services.s3.presigner.S3Presigner;

/**
 * Files, streams, parts, each checksum, conditions, presigned URLs, copies and deletes; whatever was written is read at
 * once.
 */
final class SyncWrites {

    private static final String BUCKET = System.getenv("BUCKET");
    private static final int PART_BYTES = 8 << 20;

    private final S3Client s3;
    private final S3Presigner presigner;

    SyncWrites(S3Client s3, S3Presigner presigner) {
        this.s3 = s3;
        this.presigner = presigner;
    }

    void run() throws Exception {
        for (Expected.StoredObject one : Expected.objects()) {
            s3.putObject(put -> put.bucket(BUCKET).key(one.key()), Expected.file(one));
            sameBytes(one.key(), read(one.key()), one.sha256());
        }
        putStreams();
        putParts();
        for (ChecksumAlgorithm algorithm : ChecksumAlgorithms.ALL) {
            putChecked(algorithm);
        }
        putOnCondition();
        putPresigned();
        copyAndDelete();
    }

    /** Of known length, and of one that is only known at the end. */
    private void putStreams() throws IOException {
        byte[] large = Files.readAllBytes(Expected.large());
        for (int length : new int[] {large.length, 0, 1 << 20}) {
            byte[] body = Arrays.copyOf(large, length);
            s3.putObject(
                    put -> put.bucket(BUCKET).key("streams/known").metadata(Map.of("colour", "blue")),
                    RequestBody.fromInputStream(new ByteArrayInputStream(body), length));
            same("known length " + length, Arrays.equals(read("streams/known"), body), true);
            s3.putObject(
                    put -> put.bucket(BUCKET).key("streams/unknown"),
                    RequestBody.fromContentProvider(() -> new ByteArrayInputStream(body), "text/x-shown"));
            same("unknown length " + length, Arrays.equals(read("streams/unknown"), body), true);
        }
        HeadObjectResponse head = s3.headObject(request -> request.bucket(BUCKET).key("streams/known"));
        same("metadata", head.metadata(), Map.of("colour", "blue"));
    }

    private void putParts() throws IOException {
        String key = "parts/ä + %";
        byte[] large = Files.readAllBytes(Expected.large());
        String upload = s3.createMultipartUpload(create -> create.bucket(BUCKET).key(key)).uploadId();
        List<CompletedPart> parts = new ArrayList<>();
        for (int n = 0; n * PART_BYTES < large.length; n++) {
            int number = n + 1;
            byte[] part = Arrays.copyOfRange(large, n * PART_BYTES, Math.min(large.length, number * PART_BYTES));
            String tag = s3.uploadPart(
                            put -> put.bucket(BUCKET).key(key).uploadId(upload).partNumber(number), RequestBody.fromBytes(part))
                    .eTag();
            parts.add(CompletedPart.builder().partNumber(number).eTag(tag).build());
        }
        s3.completeMultipartUpload(
                complete -> complete.bucket(BUCKET).key(key).uploadId(upload).multipartUpload(all -> all.parts(parts)));
        same(key, Arrays.equals(read(key), large), true);
    }

    private void putChecked(ChecksumAlgorithm algorithm) {
        String key = "checked/" + algorithm;
        byte[] body = ("checked by " + algorithm).getBytes(UTF_8);
        s3.putObject(put -> put.bucket(BUCKET).key(key).checksumAlgorithm(algorithm), RequestBody.fromBytes(body));
        HeadObjectResponse head =
                s3.headObject(request -> request.bucket(BUCKET).key(key).checksumMode(ChecksumMode.ENABLED));
        same("checksum of " + key, ChecksumAlgorithms.of(algorithm, head), ChecksumAlgorithms.base64(algorithm, body));
        same(key, new String(read(key), UTF_8), new String(body, UTF_8));
    }

    private void putOnCondition() {
        String key = "conditions/one";
        String first = s3.putObject(put -> put.bucket(BUCKET).key(key).ifNoneMatch("*"), RequestBody.fromString("first"))
                .eTag();
        refused(412, () -> s3.putObject(put -> put.bucket(BUCKET).key(key).ifNoneMatch("*"), RequestBody.fromString("other")));
        s3.putObject(put -> put.bucket(BUCKET).key(key).ifMatch(first), RequestBody.fromString("second"));
        refused(412, () -> s3.putObject(put -> put.bucket(BUCKET).key(key).ifMatch(first), RequestBody.fromString("third")));
        same("what is kept", new String(read(key), UTF_8), "second");
    }

    private void putPresigned() throws Exception {
        HttpClient http = HttpClient.newHttpClient();
        for (Expected.StoredObject one : Expected.below("names/")) {
            String key = "presigned/" + one.key();
            var signed = presigner.presignPutObject(presign -> presign.signatureDuration(Duration.ofMinutes(5))
                    .putObjectRequest(put -> put.bucket(BUCKET).key(key)));
            HttpRequest request = HttpRequest.newBuilder(signed.url().toURI())
                    .PUT(HttpRequest.BodyPublishers.ofString(one.key()))
                    .build();
            HttpResponse<String> answer = http.send(request, HttpResponse.BodyHandlers.ofString());
            same(signed.url() + " " + answer.body(), answer.statusCode(), 200);
            same(key, new String(read(key), UTF_8), one.key());
        }
    }

    private void copyAndDelete() {
        List<ObjectIdentifier> gone = new ArrayList<>();
        for (Expected.StoredObject one : Expected.below("names/")) {
            String key = "copied/" + one.key();
            s3.copyObject(copy -> copy.sourceBucket(BUCKET)
                    .sourceKey(one.key())
                    .destinationBucket(BUCKET)
                    .destinationKey(key));
            sameBytes(key, read(key), one.sha256());
            gone.add(ObjectIdentifier.builder().key(one.key()).build());
        }
        var answer = s3.deleteObjects(delete -> delete.bucket(BUCKET).delete(all -> all.objects(gone)));
        same("deleted", answer.deleted().size(), gone.size());
        gone.forEach(one -> refused(404, () -> s3.headObject(head -> head.bucket(BUCKET).key(one.key()))));
        s3.deleteObject(delete -> delete.bucket(BUCKET).key("conditions/one"));
        refused(404, () -> read("conditions/one"));
    }

    private byte[] read(String key) {
        return s3.getObjectAsBytes(get -> get.bucket(BUCKET).key(key)).asByteArrayUnsafe();
    }

    private static void refused(int status, Runnable request) {
        try {
            request.run();
        } catch (S3Exception refusal) {
            same("status of " + refusal.getMessage(), refusal.statusCode(), status);
            return;
        }
        throw new AssertionError("answered, expected " + status);
    }
}

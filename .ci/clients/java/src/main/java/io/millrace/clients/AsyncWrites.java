package io.millrace.clients;

import static io.millrace.clients.Expected.same;
import static io.millrace.clients.Expected.sameBytes;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayInputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import software.amazon.awssdk.core.async.AsyncRequestBody;
import software.amazon.awssdk.core.async.AsyncResponseTransformer;
import software.amazon.awssdk.services.s3.S3AsyncClient;
import software.amazon.awssdk.services.s3.model.ChecksumAlgorithm;
import software.amazon.awssdk.services.s3.model.ChecksumMode;
import software.amazon.awssdk.services.s3.model.HeadObjectResponse;
import software.amazon.awssdk.services.s3.model.S3Exception;
import software.amazon.awssdk.transfer.s3.S3TransferManager;

/**
 * Files (large ones in parts, several at once), streams of unknown length, each checksum, conditions, copies, and
 * folders up and down by the transfer manager; whatever was written is read at once.
 */
final class AsyncWrites {

    private static final String BUCKET = System.getenv("BUCKET");

    private final S3AsyncClient s3;

    AsyncWrites(S3AsyncClient s3) {
        this.s3 = s3;
    }

    void run() throws Exception {
        for (Expected.StoredObject one : Expected.objects()) {
            s3.putObject(put -> put.bucket(BUCKET).key(one.key()), Expected.file(one)).join();
            same(one.key(), Arrays.equals(read(one.key()), Files.readAllBytes(Expected.file(one))), true);
        }
        putStreams();
        for (ChecksumAlgorithm algorithm : ChecksumAlgorithms.ALL) {
            putChecked(algorithm);
        }
        putOnCondition();
        copyLarge();
        transferFolder();
    }

    private void putStreams() throws Exception {
        byte[] large = Files.readAllBytes(Expected.large());
        ExecutorService writers = Executors.newCachedThreadPool();
        for (int length : new int[] {large.length, 1, 1 << 20}) {
            byte[] body = Arrays.copyOf(large, length);
            s3.putObject(
                            put -> put.bucket(BUCKET).key("streams/unknown"),
                            AsyncRequestBody.fromInputStream(new ByteArrayInputStream(body), null, writers))
                    .join();
            same("unknown length " + length, Arrays.equals(read("streams/unknown"), body), true);
        }
        writers.shutdown();
    }

    private void putChecked(ChecksumAlgorithm algorithm) throws Exception {
        String key = "checked/" + algorithm;
        byte[] body = ("checked by " + algorithm).getBytes(UTF_8);
        s3.putObject(put -> put.bucket(BUCKET).key(key).checksumAlgorithm(algorithm), AsyncRequestBody.fromBytes(body))
                .join();
        HeadObjectResponse head = s3.headObject(
                        request -> request.bucket(BUCKET).key(key).checksumMode(ChecksumMode.ENABLED))
                .join();
        same("checksum of " + key, ChecksumAlgorithms.of(algorithm, head), ChecksumAlgorithms.base64(algorithm, body));
        s3.putObject(put -> put.bucket(BUCKET).key(key + "-parts").checksumAlgorithm(algorithm), Expected.large())
                .join();
        sameBytes(key + "-parts", read(key + "-parts"), Expected.digest(Expected.large()));
    }

    private void putOnCondition() {
        String key = "conditions/one";
        s3.putObject(put -> put.bucket(BUCKET).key(key).ifNoneMatch("*"), AsyncRequestBody.fromString("first")).join();
        try {
            s3.putObject(put -> put.bucket(BUCKET).key(key).ifNoneMatch("*"), AsyncRequestBody.fromString("other")).join();
        } catch (CompletionException e) {
            same("status", ((S3Exception) e.getCause()).statusCode(), 412);
            same("what is kept", new String(read(key), UTF_8), "first");
            return;
        }
        throw new AssertionError("what is there was written over");
    }

    private void copyLarge() throws Exception {
        s3.putObject(put -> put.bucket(BUCKET).key("copied/from").metadata(Map.of("colour", "blue")), Expected.large())
                .join();
        s3.copyObject(copy -> copy.sourceBucket(BUCKET)
                        .sourceKey("copied/from")
                        .destinationBucket(BUCKET)
                        .destinationKey("copied/to ä+%"))
                .join();
        sameBytes("copied", read("copied/to ä+%"), Expected.digest(Expected.large()));
        s3.deleteObject(delete -> delete.bucket(BUCKET).key("copied/from")).join();
        same("listed", s3.listObjectsV2(list -> list.bucket(BUCKET).prefix("copied/")).join().keyCount(), 1);
    }

    private void transferFolder() throws Exception {
        Path down = Files.createTempDirectory(Path.of(System.getenv("WORK")), "down");
        try (S3TransferManager transfers = S3TransferManager.builder().s3Client(s3).build()) {
            var up = transfers.uploadDirectory(
                    upload -> upload.bucket(BUCKET).s3Prefix("folder").source(Expected.file("sizes")));
            same("failed uploads", up.completionFuture().join().failedTransfers(), List.of());
            // Reading an empty object in parts is one time in five not ended by SDK 2.56.0.
            var back = transfers.downloadDirectory(download -> download.bucket(BUCKET)
                    .listObjectsV2RequestTransformer(list -> list.prefix("folder/"))
                    .filter(one -> one.size() > 0)
                    .destination(down));
            same("failed downloads", back.completionFuture().join().failedTransfers(), List.of());
        }
        for (Expected.StoredObject one : Expected.below("sizes/")) {
            if (one.size() > 0) {
                sameBytes(one.key(), Files.readAllBytes(down.resolve(one.key().substring("sizes/".length()))), one.sha256());
            }
        }
    }

    /** With multipart on, SDK 2.56.0 reads an empty object into memory and one time in five never says so. */
    private byte[] read(String key) {
        long size = s3.headObject(head -> head.bucket(BUCKET).key(key)).join().contentLength();
        return size == 0
                ? new byte[0]
                : s3.getObject(get -> get.bucket(BUCKET).key(key), AsyncResponseTransformer.toBytes())
                        .join()
                        .asByteArrayUnsafe();
    }
}

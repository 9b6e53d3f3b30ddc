package io.millrace.clients;

import static io.millrace.clients.Expected.same;
import static io.millrace.clients.Expected.sameBytes;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import software.amazon.awssdk.core.async.AsyncResponseTransformer;
import software.amazon.awssdk.services.s3.S3AsyncClient;
import software.amazon.awssdk.services.s3.model.HeadObjectResponse;

/** Reads with the asynchronous client: lists, gets of each object into memory and into a file, ranges, and heads. */
final class AsyncReads {

    private static final String BUCKET = System.getenv("BUCKET");
    private static final int PAGE = Integer.parseInt(System.getenv("PAGE"));

    private final S3AsyncClient s3;
    AsyncReads(S3AsyncClient s3) {
        this.s3 = s3;
    }

    void run() throws Exception {
        listEverything();
        for (Expected.StoredObject one : Expected.objects()) {
            // With multipart on, SDK 2.56.0 reads an empty object into memory and one time in five never says so.
            if (one.size() > 0) {
                readToMemory(one);
            }
            readToFile(one);
        }
        for (Expected.ByteRange one : Expected.ranges()) {
            var answer = s3.getObject(
                            get -> get.bucket(BUCKET).key(one.key()).range(one.header()), AsyncResponseTransformer.toBytes())
                    .join();
            sameBytes(one.header() + " of " + one.key(), answer.asByteArrayUnsafe(), one.sha256());
        }
        for (Expected.Metadata one : Expected.metadata()) {
            HeadObjectResponse head =
                    s3.headObject(request -> request.bucket(BUCKET).key(one.key())).join();
            same("Content-Type of " + one.key(), head.contentType(), one.contentType());
            same("metadata of " + one.key(), head.metadata().get(one.name()), one.value());
        }
    }

    private void listEverything() {
        List<String> keys = new ArrayList<>();
        s3.listObjectsV2Paginator(list -> list.bucket(BUCKET).maxKeys(PAGE))
                .contents()
                .subscribe(one -> keys.add(one.key()))
                .join();
        same("keys", keys, Expected.keys());
    }

    private void readToMemory(Expected.StoredObject one) {
        var answer = s3.getObject(get -> get.bucket(BUCKET).key(one.key()), AsyncResponseTransformer.toBytes())
                .join();
        sameBytes(one.key(), answer.asByteArrayUnsafe(), one.sha256());
    }

    private void readToFile(Expected.StoredObject one) throws Exception {
        Path file = Files.createTempFile(Path.of(System.getenv("WORK")), "download", "");
        Files.delete(file);
        s3.getObject(get -> get.bucket(BUCKET).key(one.key()), file).join();
        sameBytes(one.key() + " in a file", Files.readAllBytes(file), one.sha256());
        Files.delete(file);
    }
}

package io.millrace.clients;

import static io.millrace.clients.Expected.same;
import static io.millrace.clients.Expected.sameBytes;

import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import software.amazon.awssdk.core.ResponseBytes;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.CommonPrefix;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;
import software.amazon.awssdk.services.s3.model.HeadObjectResponse;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Response;
import software.amazon.awssdk.services.s3.model.NoSuchKeyException;
import software.amazon.awssdk.services.s3.model.S3Object;
import software.amazon.awssdk.services.s3.presigner.S3Presigner;

/** Lists, every object, ranges, heads, a missing key, and presigned URLs read by the JDK's own client. */
final class SyncReads {

    private static final String BUCKET = System.getenv("BUCKET");
    private static final int PAGE = Integer.parseInt(System.getenv("PAGE"));

    private final S3Client s3;
    private final S3Presigner presigner;

    SyncReads(S3Client s3, S3Presigner presigner) {
        this.s3 = s3;
        this.presigner = presigner;
    }

    void run() throws Exception {
        listEverything();
        for (String prefix : List.of("", "names/", "sales/")) {
            listFolder(prefix);
        }
        for (Expected.StoredObject one : Expected.objects()) {
            sameBytes(one.key(), s3.getObjectAsBytes(get -> get.bucket(BUCKET).key(one.key())).asByteArrayUnsafe(), one.sha256());
        }
        for (Expected.ByteRange one : Expected.ranges()) {
            readRange(one);
        }
        for (Expected.Metadata one : Expected.metadata()) {
            readMetadata(one);
        }
        readMissing();
        readPresigned();
    }

    private void listEverything() {
        List<S3Object> found = s3.listObjectsV2Paginator(list -> list.bucket(BUCKET).maxKeys(PAGE)).contents().stream()
                .toList();
        same("keys", found.stream().map(S3Object::key).toList(), Expected.keys());
        List<Long> sizes = Expected.objects().stream().map(Expected.StoredObject::size).toList();
        same("sizes", found.stream().map(S3Object::size).toList(), sizes);
    }

    private void listFolder(String prefix) {
        ListObjectsV2Response page = s3.listObjectsV2(list -> list.bucket(BUCKET).prefix(prefix).delimiter("/"));
        List<String> folders = page.commonPrefixes().stream().map(CommonPrefix::prefix).toList();
        same("folders below '" + prefix + "'", folders, List.copyOf(Expected.folders(prefix)));
        same("files below '" + prefix + "'", page.contents().stream().map(S3Object::key).toList(), Expected.files(prefix));
    }

    private void readRange(Expected.ByteRange one) {
        String what = one.header() + " of " + one.key();
        ResponseBytes<GetObjectResponse> answer =
                s3.getObjectAsBytes(get -> get.bucket(BUCKET).key(one.key()).range(one.header()));
        same("Content-Range of " + what, answer.response().contentRange().startsWith(one.contentRange()), true);
        sameBytes(what, answer.asByteArrayUnsafe(), one.sha256());
    }

    private void readMetadata(Expected.Metadata one) {
        HeadObjectResponse head = s3.headObject(request -> request.bucket(BUCKET).key(one.key()));
        same("Content-Type of " + one.key(), head.contentType(), one.contentType());
        same("Cache-Control of " + one.key(), head.cacheControl(), one.cacheControl());
        same("metadata of " + one.key(), head.metadata(), Map.of(one.name(), one.value()));
    }

    private void readMissing() {
        try {
            s3.getObjectAsBytes(get -> get.bucket(BUCKET).key("no/such/key"));
        } catch (NoSuchKeyException expected) {
            return;
        }
        throw new AssertionError("a missing key was answered");
    }

    private void readPresigned() throws Exception {
        HttpClient http = HttpClient.newHttpClient();
        for (Expected.StoredObject one : Expected.objects()) {
            if (one.key().startsWith("names/")) {
                var signed = presigner.presignGetObject(presign -> presign.signatureDuration(Duration.ofMinutes(5))
                        .getObjectRequest(get -> get.bucket(BUCKET).key(one.key())));
                HttpRequest request = HttpRequest.newBuilder(signed.url().toURI()).build();
                sameBytes(signed.url().toString(), http.send(request, HttpResponse.BodyHandlers.ofByteArray()).body(), one.sha256());
            }
        }
    }
}

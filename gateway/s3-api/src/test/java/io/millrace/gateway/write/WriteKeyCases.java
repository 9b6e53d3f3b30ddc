package io.millrace.gateway.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.testkit.data.DifficultKeys;
import io.millrace.backend.testkit.data.GeneratedBytes;
import io.millrace.gateway.read.OriginFixture;
import io.millrace.gateway.read.RawResponse;
import io.millrace.gateway.testkit.RawClient;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.s3.model.EncodingType;
import software.amazon.awssdk.services.s3.model.S3Object;
import software.amazon.awssdk.utils.http.SdkHttpUtils;

/**
 * Keys are bytes, on every road: each is written, copied, completed and deleted as itself, and no two are ever the
 * same.
 */
interface WriteKeyCases extends EndpointWriteCases {
    /** Folders in folders take long to delete again, and are the business of the file backend's own suite. */
    int DEEPEST = 40;

    @Test
    default void everyKeyIsWrittenAsItself() throws IOException {
        String bucket = newBucket();
        List<String> keys = keys();
        assertThat(keys).hasSizeGreaterThan(250);

        try (RawClient client = new RawClient(gateway().port())) {
            for (String key : keys) {
                SignedWriteRequest put = SignedWriteRequest.put(RawResponse.path(bucket, key), content(key));
                assertThat(client.send(put.text()).status()).as(key).isEqualTo(200);
            }
            for (String key : keys) {
                assertThat(client.send(SignedWriteRequest.get(RawResponse.path(bucket, key))
                                        .head())
                                .bytes())
                        .as(key)
                        .isEqualTo(content(key));
            }
            assertThat(listed(bucket)).containsExactlyInAnyOrderElementsOf(keys);
            for (String key : some()) {
                assertThat(client.send(SignedWriteRequest.of("DELETE", RawResponse.path(bucket, key))
                                        .head())
                                .status())
                        .as(key)
                        .isEqualTo(204);
                assertThat(client.send(SignedWriteRequest.get(RawResponse.path(bucket, key))
                                        .head())
                                .status())
                        .as(key)
                        .isEqualTo(404);
            }
        }
        keys.removeAll(some());
        assertThat(listed(bucket)).containsExactlyInAnyOrderElementsOf(keys);
        assertEachIsDeletedByADocument(bucket, keys);
    }

    @Test
    default void everyKeyIsCopiedToAndFrom() throws IOException {
        String from = newBucket();
        String to = newBucket();
        try (RawClient client = new RawClient(gateway().port())) {
            for (String key : some()) {
                client.send(SignedWriteRequest.put(RawResponse.path(from, key), content(key))
                        .text());
                SignedWriteRequest copy = SignedWriteRequest.of("PUT", RawResponse.path(to, key))
                        .with("x-amz-copy-source: " + RawResponse.path(from, key));
                RawClient.Response copied = client.send(copy.text());
                assertThat(copied.status()).as("%s: %s", key, copied.text()).isEqualTo(200);
                assertThat(client.send(SignedWriteRequest.get(RawResponse.path(to, key))
                                        .head())
                                .bytes())
                        .as(key)
                        .isEqualTo(content(key));
            }
        }
    }

    @Test
    default void everyKeyIsUploadedInParts() throws IOException {
        String bucket = newBucket();
        try (RawClient client = new RawClient(gateway().port())) {
            for (String key : some()) {
                String path = RawResponse.path(bucket, key);
                String id = SdkHttpUtils.urlEncode(client.send(
                                SignedWriteRequest.of("POST", path + "?uploads").text())
                        .element("UploadId"));
                RawClient.Response part =
                        client.send(SignedWriteRequest.put(path + "?partNumber=1&uploadId=" + id, content(key))
                                .text());
                RawClient.Response done = client.send(SignedWriteRequest.of("POST", path + "?uploadId=" + id)
                        .body("<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>"
                                + part.headers().get("etag") + "</ETag></Part></CompleteMultipartUpload>")
                        .text());
                assertThat(done.status()).as("%s: %s", key, done.text()).isEqualTo(200);
                assertThat(client.send(SignedWriteRequest.get(path).head()).bytes())
                        .as(key)
                        .isEqualTo(content(key));
            }
        }
    }

    private void assertEachIsDeletedByADocument(String bucket, List<String> keys) throws IOException {
        StringBuilder document = new StringBuilder("<Delete>");
        for (String key : keys) {
            if (isText(key)) {
                document.append("<Object><Key>").append(escaped(key)).append("</Key></Object>");
            }
        }
        RawClient.Response response = send(SignedWriteRequest.of("POST", "/" + bucket + "?delete")
                .body(document.append("</Delete>").toString()));

        assertThat(response.status()).as(response.text()).isEqualTo(200);
        assertThat(response.text()).doesNotContain("<Error>");
        assertThat(listed(bucket)).noneMatch(WriteKeyCases::isText);
    }

    /** Whether XML 1.0 can say it. */
    private static boolean isText(String key) {
        return key.chars().noneMatch(c -> (c < ' ' && c != '\t' && c != '\n' && c != '\r') || c >= 0xFFFE);
    }

    private List<String> keys() {
        List<String> keys = new ArrayList<>();
        boolean anyName = origin().traits().contains(OriginFixture.Trait.ANY_NAME);
        for (ObjectKey key : DifficultKeys.keys().stream().sorted().toList()) {
            String name = key.value();
            boolean below = keys.stream().anyMatch(held -> name.startsWith(held + "/"));
            boolean shallow = name.split("/", -1).length <= DEEPEST;
            if (shallow && origin().canHold(name) && (anyName || (!below && canHold(name)))) {
                keys.add(name);
            }
        }
        return keys;
    }

    /** What a server over folders takes for a name, and does not confuse with another. */
    private boolean canHold(String key) {
        return key.getBytes(StandardCharsets.UTF_8).length <= 200
                && key.chars().noneMatch(c -> c < ' ' || c >= 0xFFFE || Character.isSurrogate((char) c));
    }

    private List<String> some() {
        List<String> all = keys();
        List<String> some = new ArrayList<>();
        for (int i = 0; i < all.size(); i += 8) {
            some.add(all.get(i));
        }
        return some;
    }

    private List<String> listed(String bucket) {
        return sdk()
                .listObjectsV2Paginator(list -> list.bucket(bucket).encodingType(EncodingType.URL))
                .contents()
                .stream()
                .map(S3Object::key)
                .toList();
    }

    private static byte[] content(String key) {
        return key.endsWith("/") ? new byte[0] : GeneratedBytes.of(key).first(20);
    }

    private static String escaped(String key) {
        return key.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\r", "&#13;")
                .replace("\n", "&#10;")
                .replace("\t", "&#9;");
    }
}

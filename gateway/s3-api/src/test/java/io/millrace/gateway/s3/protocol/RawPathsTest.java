package io.millrace.gateway.s3.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.data.GeneratedBytes;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.testkit.RawClient;
import io.millrace.gateway.testkit.TestGateway;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Verifies the decoding of paths with random input, against a reference decoder and the objects served. Gateways have
 * served forbidden objects because policy and storage decoded a path differently.
 */
class RawPathsTest {
    private static final List<String> PIECES = List.of(
            "a",
            "b",
            "/",
            "//",
            ".",
            "..",
            "%2F",
            "%2f",
            "%2e",
            "%2E%2E",
            "%00",
            "%5C",
            "\\",
            ";",
            "%3B",
            "+",
            "%2B",
            "%20",
            "%25",
            "%252F",
            "%3F",
            "#",
            "&",
            "=",
            ":",
            "@",
            "%C3%A4",
            "a%CC%88",
            "\u00c3\u00a4",
            "%E2%82%AC",
            "%F0%9F%98%80",
            "%C0%AF",
            "%E0%80%AF",
            "%ED%A0%80",
            "%FF",
            "%",
            "%4",
            "%zz",
            "\u00ff",
            "%0D%0A",
            "%7F",
            "~",
            "'",
            "\"",
            "*");

    @Test
    void everyPathIsDecodedAsItsBytesSay() {
        Random random = new Random(8);
        int valid = 0;
        for (int i = 0; i < 200_000; i++) {
            String raw = "/bucket/" + path(random);
            Optional<String> expected = expected(raw.substring("/bucket/".length()));
            Optional<String> read = read(raw);

            assertThat(read).as(raw).isEqualTo(expected);
            valid += read.isPresent() ? 1 : 0;
        }
        assertThat(valid).isBetween(50_000, 190_000);
    }

    @Test
    void servesExactlyTheDecodedAndAuthorizedKey() throws IOException {
        Random random = new Random(9);
        InMemoryBackend backend = new InMemoryBackend();
        try (TestGateway gateway = TestGateway.builder()
                        .bucket("bucket", backend, "", "read")
                        .start();
                RawClient client = new RawClient(gateway.port())) {
            for (int i = 0; i < 2_000; i++) {
                String path = path(random);
                Optional<String> key = expected(path);
                ObjectRef object = new ObjectRef(new BucketName("bucket"), new ObjectKey(key.orElse("other")));
                byte[] content = GeneratedBytes.of(path).first(32);
                backend.store(object, content, HeaderList.EMPTY);
                RawClient.Response response = client.send("GET /bucket/" + path + " HTTP/1.1\r\nHost: a\r\n\r\n");
                backend.remove(object);

                assertThat(response.status()).as(path).isEqualTo(key.isPresent() ? 200 : 400);
                assertThat(Arrays.equals(response.bytes(), content)).as(path).isEqualTo(key.isPresent());
            }
        }
    }

    private static Optional<String> read(String raw) {
        try {
            return Optional.of(RequestTarget.parse(raw, Optional.empty())
                    .key()
                    .map(ObjectKey::value)
                    .orElse(""));
        } catch (S3Exception refused) {
            assertThat(refused.status()).as(raw).isEqualTo(400);
            return Optional.empty();
        }
    }

    /** Decodes by the plain way: bytes, then text; empty if either is invalid. */
    private static Optional<String> expected(String raw) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (int i = 0; i < raw.length(); i++) {
            if (raw.charAt(i) != '%') {
                bytes.write(raw.charAt(i));
            } else if (raw.substring(i).matches("(?s)%[0-9A-Fa-f]{2}.*")) {
                bytes.write(Integer.parseInt(raw.substring(i + 1, i + 3), 16));
                i += 2;
            } else {
                return Optional.empty();
            }
        }
        try {
            return Optional.of(StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes.toByteArray()))
                    .toString());
        } catch (CharacterCodingException invalid) {
            return Optional.empty();
        }
    }

    private static String path(Random random) {
        StringBuilder path = new StringBuilder();
        for (int i = 1 + random.nextInt(6); i > 0; i--) {
            path.append(PIECES.get(random.nextInt(PIECES.size())));
        }
        return path.toString();
    }
}

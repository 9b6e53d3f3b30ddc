package io.millrace.gateway.s3.object;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.auth.policy.RequestSource;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.gateway.s3.protocol.RequestHeaders;
import io.millrace.gateway.s3.protocol.RequestTarget;
import io.millrace.gateway.s3.protocol.S3Request;
import io.millrace.gateway.s3.protocol.UnverifiedRequestBody;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Verifies the URL of an object in {@code Location}. */
class ObjectUrlTest {
    private static final RequestHeaders HOST = new RequestHeaders() {
        @Override
        public List<String> all(String name) {
            return name.equals("host") ? List.of("s3.example.com:9080") : List.of();
        }

        @Override
        public List<String> names() {
            return List.of("host");
        }
    };

    @ParameterizedTest
    @CsvSource({
        "false, /bucket/a%20b, , http://s3.example.com:9080/bucket/a%20b",
        "true, /bucket/a%20b, , https://s3.example.com:9080/bucket/a%20b",
        "true, /a%20b, bucket, https://s3.example.com:9080/a%20b"
    })
    void urlHasTheSchemeAndTheStyleOfTheRequest(boolean isSecure, String target, String hostBucket, String url) {
        S3Request request = new S3Request(
                "POST",
                RequestTarget.parse(target, Optional.ofNullable(hostBucket)),
                HOST,
                UnverifiedRequestBody.NONE,
                "id",
                new RequestSource(null, isSecure));

        assertThat(ObjectUrl.of(request, new BucketName("bucket"), new ObjectKey("a b")))
                .isEqualTo(url);
    }
}

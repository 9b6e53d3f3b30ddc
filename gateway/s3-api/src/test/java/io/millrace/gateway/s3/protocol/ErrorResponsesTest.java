package io.millrace.gateway.s3.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.object.HeaderList;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Verifies code and status of error responses, by which SDKs decide to retry. */
class ErrorResponsesTest {
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NOT_MODIFIED")
    void anErrorIsItsStatusAndADocument(S3ErrorCode code) {
        S3Exception error = new S3Exception(code)
                .with("Detail", "<&>")
                .withHeaders(HeaderList.EMPTY.with("content-type", "text/html").with("etag", "\"x\""));
        S3Response response = ErrorResponses.of(error, "/b/k", "ID");
        String text = StandardCharsets.UTF_8
                .decode(((S3Response.Bytes) response.body()).content())
                .toString();

        assertThat(response.status()).isEqualTo(code.status()).isBetween(400, 599);
        assertThat(text)
                .contains("<Error><Code>" + code.code() + "</Code>")
                .contains("<Resource>/b/k</Resource><RequestId>ID</RequestId>")
                .contains("<Detail>&lt;&amp;");
        assertThat(response.headers().first("content-type")).contains("application/xml");
        assertThat(response.headers().first("etag")).contains("\"x\"");
    }

    @ParameterizedTest
    @EnumSource(names = "NOT_MODIFIED")
    void notModifiedHasFieldsAndNoBody(S3ErrorCode code) {
        S3Response response =
                ErrorResponses.of(new S3Exception(code).withHeaders(HeaderList.EMPTY.with("etag", "\"x\"")), "/", "ID");

        assertThat(response).isEqualTo(S3Response.empty(304, HeaderList.EMPTY.with("etag", "\"x\"")));
    }
}

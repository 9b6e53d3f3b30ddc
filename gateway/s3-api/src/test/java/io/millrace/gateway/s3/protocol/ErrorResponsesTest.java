package io.millrace.gateway.s3.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.object.HeaderList;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.kit.XmlElement;
import io.millrace.kit.XmlParser;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
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
        String text = text(response);

        assertThat(response.status()).isEqualTo(code.status()).isBetween(400, 599);
        assertThat(text)
                .contains("<Error><Code>" + code.code() + "</Code>")
                .contains("<Resource>/b/k</Resource><RequestId>ID</RequestId>")
                .contains("<Detail>&lt;&amp;");
        assertThat(response.headers().first("content-type")).contains("application/xml");
        assertThat(response.headers().first("etag")).contains("\"x\"");
    }

    /** A strict parser takes a reference to such a character for a broken document. */
    @Test
    void characterThatXmlCannotHoldIsReplaced() {
        S3Exception error =
                new S3Exception(S3ErrorCode.INVALID_ARGUMENT, "no a\0b").with("ArgumentValue", "\u0001\uFFFE\t");

        S3Response response = ErrorResponses.of(error, "/b/a\0\uD83D\uDE00", "ID");

        String text = text(response);
        XmlElement document = XmlParser.parse(text.getBytes(StandardCharsets.UTF_8), "Error");
        assertThat(document.textOf("Message")).contains("no a\uFFFDb");
        assertThat(document.textOf("ArgumentValue")).contains("\uFFFD\uFFFD\t");
        assertThat(document.textOf("Resource")).contains("/b/a\uFFFD\uD83D\uDE00");
    }

    @ParameterizedTest
    @EnumSource(names = "NOT_MODIFIED")
    void notModifiedHasFieldsAndNoBody(S3ErrorCode code) {
        S3Response response =
                ErrorResponses.of(new S3Exception(code).withHeaders(HeaderList.EMPTY.with("etag", "\"x\"")), "/", "ID");

        assertThat(response).isEqualTo(S3Response.empty(304, HeaderList.EMPTY.with("etag", "\"x\"")));
    }

    private static String text(S3Response response) {
        return StandardCharsets.UTF_8
                .decode(((S3Response.Bytes) response.body()).content())
                .toString();
    }
}

package io.millrace.gateway.s3.bucket;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.kit.XmlParser;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/**
 * Verifies that values that no header can carry are left out of a backend's rules; they would turn responses into
 * errors.
 */
class CorsRuleTest {
    @Test
    void omitsValuesThatHeadersCannotCarry() {
        CorsRule rule = rule("""
                <AllowedOrigin>*</AllowedOrigin><AllowedMethod>GET</AllowedMethod><AllowedMethod>P&#13;UT</AllowedMethod>
                <ExposeHeader>etag</ExposeHeader><ExposeHeader>a
                b</ExposeHeader><ExposeHeader>\u20ac</ExposeHeader><ExposeHeader> </ExposeHeader>
                <MaxAgeSeconds>5&#10;</MaxAgeSeconds>
                """);

        assertThat(rule.methods()).containsExactly("GET");
        assertThat(rule.expose()).containsExactly("etag");
        assertThat(rule.maxAge()).contains("5");
        assertThat(rule("<MaxAgeSeconds>5&#10;6</MaxAgeSeconds>").maxAge()).isEmpty();
    }

    private static CorsRule rule(String elements) {
        String document = "<CORSRule>" + elements + "</CORSRule>";
        return CorsRule.of(XmlParser.parse(document.getBytes(StandardCharsets.UTF_8), "CORSRule"));
    }
}

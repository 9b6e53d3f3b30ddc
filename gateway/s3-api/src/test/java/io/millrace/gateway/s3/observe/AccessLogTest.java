package io.millrace.gateway.s3.observe;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Tests that no text of a client can divide or end a field of a line. */
class AccessLogTest {
    @Test
    void blankInAPathIsEscaped() {
        assertThat(AccessLog.field("/data/my file.tar")).isEqualTo("/data/my\\u0020file.tar");
        assertThat(AccessLog.field("/data/a\" 200 ok\n")).isEqualTo("/data/a\\\"\\u0020200\\u0020ok\\u000a");
    }
}

package io.millrace.gateway.app;

import io.millrace.backend.testkit.ReservedPort;
import java.io.IOException;
import java.util.Map;

/** The two ports of a {@link MillraceProcess}, which no other process takes before it or between two runs. */
final class MillracePorts implements AutoCloseable {
    private final ReservedPort s3 = new ReservedPort();
    private final ReservedPort admin = new ReservedPort();

    MillracePorts() throws IOException {}

    int s3() {
        return s3.number();
    }

    int admin() {
        return admin.number();
    }

    Map<String, String> environment() {
        return Map.of("MILLRACE_S3_PORT", "" + s3(), "MILLRACE_ADMIN_PORT", "" + admin());
    }

    @Override
    public void close() throws IOException {
        s3.close();
        admin.close();
    }
}

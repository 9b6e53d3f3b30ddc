package io.millrace.gateway.s3.observe;

import io.millrace.gateway.objects.monitor.LogSanitizer;
import io.millrace.gateway.s3.routing.S3Operation;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs one line per request to the logger {@code millrace.access}. Keys are escaped, so that none can forge a line or a field. */
public final class AccessLog implements RequestRecorder {
    private static final Logger log = LoggerFactory.getLogger("millrace.access");

    @Override
    public void started() {}

    @Override
    public void ended(RequestRecord request) {
        log.info(
                "{} {} {} {} \"{} {}\" {} {} {} {}us {}us",
                request.requestId(),
                request.peer(),
                request.principal().isEmpty() ? "-" : field(request.principal()),
                request.operation().map(S3Operation::wireName).orElse("-"),
                field(request.method()),
                field(request.target()),
                request.status(),
                request.outcome().wireName(),
                request.bytesOut(),
                request.firstByteNanos() < 0 ? "-" : request.firstByteNanos() / 1000,
                request.totalNanos() / 1000);
    }

    /** Escapes blanks, too: programs divide lines at them, also those within quotes. */
    static String field(String text) {
        return LogSanitizer.escape(text).replace(" ", "\\u0020");
    }
}

package io.millrace.gateway.s3.observe;

import io.millrace.gateway.objects.monitor.LogSanitizer;
import io.millrace.gateway.s3.routing.S3Operation;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs one line per request to the logger {@code millrace.access}. Keys are escaped, so that none can forge a line. */
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
                request.principal().isEmpty() ? "-" : LogSanitizer.escape(request.principal()),
                request.operation().map(S3Operation::wireName).orElse("-"),
                LogSanitizer.escape(request.method()),
                LogSanitizer.escape(request.target()),
                request.status(),
                request.outcome().wireName(),
                request.bytesOut(),
                request.firstByteNanos() < 0 ? "-" : request.firstByteNanos() / 1000,
                request.totalNanos() / 1000);
    }
}

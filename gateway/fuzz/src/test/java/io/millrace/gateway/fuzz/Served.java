package io.millrace.gateway.fuzz;

import io.millrace.gateway.s3.observe.RequestRecord;
import io.millrace.gateway.s3.protocol.RequestOperation;
import io.millrace.gateway.s3.server.DirectExchange.Reply;
import java.util.List;
import java.util.Optional;

/**
 * How a request ended.
 *
 * @param requested what the backends were asked for it
 * @param uploading whether a backend was sent a body
 * @param sent what of the body a backend was sent, one char a byte
 * @param stored all of it, if a backend took it whole
 */
record Served(
        Reply reply,
        Optional<RequestRecord> record,
        List<FuzzRequest> requested,
        boolean uploading,
        String sent,
        Optional<String> stored) {
    int status() {
        return reply.status();
    }

    /** The code of the error in the answer; empty if it is none. */
    String code() {
        if (reply.status() < 300) {
            return "";
        }
        int from = reply.body().indexOf("<Code>");
        int to = reply.body().indexOf("</Code>");
        return from < 0 || to < from ? "" : reply.body().substring(from + "<Code>".length(), to);
    }

    /** Whether it was a HEAD, whose answer says no more than a status. */
    boolean isHead() {
        return record.filter(request -> request.method().equals("HEAD")).isPresent();
    }

    /** Who it comes from, as the gateway found; empty if it was refused before that was known, or allowed to nobody. */
    String who() {
        return admitted().map(RequestRecord::principal).orElse("");
    }

    Optional<RequestOperation> operation() {
        return admitted().flatMap(RequestRecord::operation);
    }

    private Optional<RequestRecord> admitted() {
        return record.filter(RequestRecord::admitted);
    }
}

package io.millrace.gateway.control;

import io.millrace.auth.policy.Principal;
import io.millrace.gateway.objects.monitor.RecentRequestSource;
import io.millrace.gateway.objects.monitor.RecentRequestSource.FailedRequest;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** Serves {@code /api/v1/errors}: the last requests that failed, for viewers. */
@RestController
@RequestMapping("/api/v1/errors")
record ErrorsController(ControlAuthorizer callers, RecentRequestSource recent) {
    /** The response that lists failed requests, the newest first. */
    record ErrorList(List<RequestError> errors) {}

    /**
     * A request that failed.
     *
     * @param status 0 if no response was sent
     * @param identity empty if the request failed before its identity was known
     * @param bucket the bucket that the request names, if it names one
     * @param key the key that the request names, if it names one
     * @param code the error code that the client got; empty if the response broke off
     * @param message the message that the client got
     * @param reason what operators alone are told of the cause; may be empty
     */
    record RequestError(
            Instant at,
            String requestId,
            String operation,
            int status,
            String outcome,
            String identity,
            String peer,
            Optional<String> bucket,
            Optional<String> key,
            long micros,
            String code,
            String message,
            String reason) {
        static RequestError of(FailedRequest failed) {
            return new RequestError(
                    failed.request().at(),
                    failed.request().requestId(),
                    failed.request().operation(),
                    failed.request().status(),
                    failed.request().outcome(),
                    failed.identity(),
                    failed.peer(),
                    failed.bucket(),
                    failed.key(),
                    failed.request().micros(),
                    failed.code(),
                    failed.message(),
                    failed.reason());
        }
    }

    @GetMapping
    ErrorList errors(@RequestAttribute(AuthenticatedCaller.PRINCIPAL_ATTRIBUTE) Principal principal) {
        callers.requireView(principal, "The list of errors");
        return new ErrorList(recent.lastFailed().stream().map(RequestError::of).toList());
    }
}

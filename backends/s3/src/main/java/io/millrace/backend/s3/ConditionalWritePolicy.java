package io.millrace.backend.s3;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.BackendException.S3Error;
import io.millrace.backend.spi.WriteCondition;
import io.millrace.backend.spi.object.BucketName;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import reactor.core.publisher.Mono;

/**
 * Decides whether a conditional write ({@code If-Match}, {@code If-None-Match}) may be sent to the backend's S3 server.
 * A server that ignores the condition would overwrite what the client wants to keep, and respond with a success. So a
 * conditional write is sent only if the settings say, or Millrace knows, that the server honours the condition; any
 * other is refused before anything is written.
 */
final class ConditionalWritePolicy {
    /** The name of the setting. */
    private static final String SETTING = "conditional-writes";

    /** Sends every condition that S3 or Millrace has, to a server that refuses what it cannot honour. */
    static final ConditionalWritePolicy DECIDED_BY_SERVER =
            new ConditionalWritePolicy((write, extension, bucket) -> Mono.empty());

    private final Check check;

    /** Completes if the server honours a condition. */
    private interface Check {
        /**
         * @param extension whether S3 itself does not have the condition, so that a server which honours S3's may
         *     ignore it
         */
        Mono<Void> requireHonoured(ConditionalOperation write, boolean extension, BucketName bucket);
    }

    private ConditionalWritePolicy(Check check) {
        this.check = check;
    }

    /**
     * @param declared the operations that the settings list; empty to use what Millrace knows of the server
     */
    ConditionalWritePolicy(Optional<List<ConditionalOperation>> declared, S3ServerDetector server) {
        this(declared.<Check>map(honoured -> (write, extension, bucket) -> checkDeclared(honoured, write, extension))
                .orElse((write, extension, bucket) -> checkServer(server, write, bucket)));
    }

    /** Completes if a write with this condition may be sent; fails with {@link FailureKind#UNSUPPORTED} if not. */
    Mono<Void> requireHonoured(ConditionalOperation write, WriteCondition condition, BucketName bucket) {
        if (condition instanceof WriteCondition.Unconditional) {
            return Mono.empty();
        }
        boolean extension =
                condition instanceof WriteCondition.IfExists || condition instanceof WriteCondition.IfDiffers;
        return check.requireHonoured(write, extension, bucket);
    }

    /**
     * Completes if a delete with this condition may be sent; fails with {@link FailureKind#UNSUPPORTED} if not.
     *
     * @param others whether it has conditions that only deletes have
     */
    Mono<Void> requireHonouredDelete(WriteCondition condition, boolean others, BucketName bucket) {
        if (condition instanceof WriteCondition.IfAbsent || condition instanceof WriteCondition.IfDiffers) {
            return refuse("S3 has no If-None-Match on deletes.");
        }
        boolean unconditional = condition instanceof WriteCondition.Unconditional && !others;
        return unconditional ? Mono.empty() : check.requireHonoured(ConditionalOperation.DELETE, false, bucket);
    }

    private static Mono<Void> checkDeclared(
            List<ConditionalOperation> honoured, ConditionalOperation write, boolean extension) {
        if (!honoured.contains(write)) {
            return refuse("%s of this backend does not list '%s', so its server is sent no conditional %s."
                    .formatted(SETTING, word(write), write.operation()));
        }
        return extension
                ? refuse(
                        ("Conditions that S3 itself does not have (If-Match: *, If-None-Match with a tag) are sent only"
                                        + " to servers that Millrace knows, and not to those that %s describes.")
                                .formatted(SETTING))
                : Mono.empty();
    }

    private static Mono<Void> checkServer(S3ServerDetector server, ConditionalOperation write, BucketName bucket) {
        return server.detect(bucket).flatMap(found -> {
            if (found.isEmpty()) {
                return refuse(
                        ("The server of this backend is not known to honour conditions of %s. If it does, list '%s'"
                                        + " under the backend's setting %s.")
                                .formatted(write.operation(), word(write), SETTING));
            }
            return found.get().honours(write)
                    ? Mono.empty()
                    : refuse(("%s is not known to honour conditions of %s in one step with the write. If this release"
                                    + " does, list '%s' under the backend's setting %s.")
                            .formatted(found.get().product(), write.operation(), word(write), SETTING));
        });
    }

    private static Mono<Void> refuse(String why) {
        String message = why + " Nothing was written.";
        return Mono.error(() -> new BackendException(FailureKind.UNSUPPORTED, message)
                .withS3Error(new S3Error(501, "NotImplemented", message)));
    }

    private static String word(ConditionalOperation write) {
        return write.name().toLowerCase(Locale.ROOT);
    }
}

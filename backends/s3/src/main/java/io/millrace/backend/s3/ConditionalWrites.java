package io.millrace.backend.s3;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.Kind;
import io.millrace.backend.spi.BackendException.Words;
import io.millrace.backend.spi.BucketName;
import io.millrace.backend.spi.WriteCondition;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import reactor.core.publisher.Mono;

/**
 * Decides whether a write under a condition is sent. A server that passes over the condition would overwrite what the client
 * wanted kept, and answer with a success; so it is sent only where the operator says, or Millrace knows, that the server
 * honours it. All else is refused before anything is written.
 */
final class ConditionalWrites {
    /** The name of the setting in the operator's file. */
    private static final String SETTING = "conditional-writes";

    private final Optional<List<ConditionalWrite>> declared;
    private final ServerIdentity server;

    /**
     * @param declared what the operator says that the server honours; Millrace's own knowledge counts if empty
     */
    ConditionalWrites(Optional<List<ConditionalWrite>> declared, ServerIdentity server) {
        this.declared = declared;
        this.server = server;
    }

    /** Completes if a write under this condition may be sent, or fails with {@link Kind#UNSUPPORTED}. */
    Mono<Void> allow(ConditionalWrite write, WriteCondition condition, BucketName bucket) {
        if (condition instanceof WriteCondition.Always) {
            return Mono.empty();
        }
        boolean extension = condition instanceof WriteCondition.Exists || condition instanceof WriteCondition.Differs;
        return allow(write, extension, bucket);
    }

    /**
     * The same for a delete.
     *
     * @param others whether it has conditions that only deletes have
     */
    Mono<Void> allowDelete(WriteCondition condition, boolean others, BucketName bucket) {
        if (condition instanceof WriteCondition.Absent || condition instanceof WriteCondition.Differs) {
            return refuse("S3 has no If-None-Match on deletes.");
        }
        boolean unconditional = condition instanceof WriteCondition.Always && !others;
        return unconditional ? Mono.empty() : allow(ConditionalWrite.DELETE, false, bucket);
    }

    /**
     * @param extension whether the condition is none that S3 itself has, so that a server which honours S3's may not know it
     */
    private Mono<Void> allow(ConditionalWrite write, boolean extension, BucketName bucket) {
        return declared.map(honoured -> asDeclared(honoured, write, extension)).orElseGet(() -> asKnown(write, bucket));
    }

    private static Mono<Void> asDeclared(List<ConditionalWrite> honoured, ConditionalWrite write, boolean extension) {
        if (!honoured.contains(write)) {
            return refuse("%s of this backend does not list '%s', so its server is sent no conditional %s."
                    .formatted(SETTING, word(write), write.operation()));
        }
        return extension
                ? refuse(
                        "Conditions that S3 itself does not have (If-Match: *, If-None-Match with a tag) are sent only to"
                                + " servers that Millrace knows, and not to those that %s describes."
                                        .formatted(SETTING))
                : Mono.empty();
    }

    private Mono<Void> asKnown(ConditionalWrite write, BucketName bucket) {
        return server.of(bucket).flatMap(found -> {
            if (found.isEmpty()) {
                return refuse(
                        ("The server of this backend is not known to honour conditions of %s. If it does, list '%s'"
                                        + " under the backend's setting %s.")
                                .formatted(write.operation(), word(write), SETTING));
            }
            return found.get().honours(write)
                    ? Mono.empty()
                    : refuse(
                            ("%s is not known to honour conditions of %s in one step with the write. If this release does,"
                                            + " list '%s' under the backend's setting %s.")
                                    .formatted(found.get().product(), write.operation(), word(write), SETTING));
        });
    }

    private static Mono<Void> refuse(String why) {
        String message = why + " Nothing was written.";
        return Mono.error(() ->
                new BackendException(Kind.UNSUPPORTED, message).inWords(new Words(501, "NotImplemented", message)));
    }

    private static String word(ConditionalWrite write) {
        return write.name().toLowerCase(Locale.ROOT);
    }
}

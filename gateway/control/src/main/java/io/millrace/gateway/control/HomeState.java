package io.millrace.gateway.control;

import io.millrace.cache.metadata.ObjectMetadata;
import io.millrace.gateway.objects.read.ReadPreview;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The home of an object, and what that member has of it.
 *
 * @param member its name
 * @param next what a GET there would do, as the {@code next} of an explanation; empty if it is the member that
 *     explains, or did not answer
 * @param blocks number of blocks of the version that it knows; empty if it knows none, as the next two
 * @param problem why it did not answer
 */
record HomeState(
        String member,
        Optional<String> next,
        OptionalLong blocks,
        OptionalLong cachedBlocks,
        OptionalLong cachedBytes,
        Optional<String> problem) {
    /** Returns the state at the member that explains, whose explanation says the rest. */
    static HomeState ofSelf(String member) {
        return without(member, Optional.empty());
    }

    static HomeState ofProblem(String member, String problem) {
        return without(member, Optional.of(problem));
    }

    private static HomeState without(String member, Optional<String> problem) {
        OptionalLong none = OptionalLong.empty();
        return new HomeState(member, Optional.empty(), none, none, none, problem);
    }

    static HomeState of(String member, ReadPreview preview) {
        Optional<ObjectMetadata> known = preview.metadata();
        return new HomeState(
                member,
                Optional.of(preview.next().name().toLowerCase(Locale.ROOT)),
                known.isPresent() ? OptionalLong.of(known.get().blocks()) : OptionalLong.empty(),
                known.isPresent() ? OptionalLong.of(preview.cachedBlocks()) : OptionalLong.empty(),
                known.isPresent() ? OptionalLong.of(preview.cachedBytes()) : OptionalLong.empty(),
                Optional.empty());
    }

    /** Returns the sentence of it that ends an explanation. */
    String describe() {
        if (problem.isPresent()) {
            return " Its home is member %s, which could not be asked: %s.".formatted(member, problem.get());
        }
        if (next.isEmpty()) {
            return " Its home is this member.";
        }
        return blocks.isEmpty()
                ? " Its home is member %s, which is asked before the backend, and knows nothing of it."
                        .formatted(member)
                : " Its home is member %s, which is asked before the backend, and has %d of its %d blocks."
                        .formatted(member, cachedBlocks.orElse(0), blocks.getAsLong());
    }
}

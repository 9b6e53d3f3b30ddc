package io.millrace.backend.file;

import io.millrace.backend.spi.ETag;
import io.millrace.backend.spi.HeaderList;
import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.checksum.ChecksumAlgorithm;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * What a copy keeps of what is known of its source, and what must be computed again.
 *
 * @param headers what the copy is stored with, but its checksum
 * @param tag the source's, if that is the MD5 of the bytes; that of an upload in parts is not
 * @param sums the source's checksums, if they are of the bytes
 * @param computed the checksum to be computed in their place
 */
record CopyPlan(HeaderList headers, Optional<ETag> tag, HeaderList sums, Optional<ChecksumAlgorithm> computed) {
    private static final Pattern MD5 = Pattern.compile("[0-9a-f]{32}");

    /**
     * @param replaces whether the given fields are stored instead of the source's
     * @param asked the checksum the copy is to have, if the client said so
     */
    static CopyPlan of(ObjectHead source, boolean replaces, HeaderList given, Optional<ChecksumAlgorithm> asked) {
        HeaderList headers = replaces
                ? StoredFields.withoutSums(given)
                : StoredFields.joined(StoredFields.copied(source.headers()), StoredFields.redirect(given));
        Optional<ETag> tag =
                source.eTag().filter(there -> MD5.matcher(there.opaque()).matches());
        HeaderList sums = StoredFields.sums(source.headers());
        boolean composite = source.headers().first(StoredFields.TYPE).stream().anyMatch(StoredFields.COMPOSITE::equals);
        Optional<ChecksumAlgorithm> wanted = asked.or(() -> composite ? algorithm(sums) : Optional.empty());
        boolean isThere = !composite
                && wanted.map(algorithm -> sums.first(algorithm.headerName()).isPresent())
                        .orElse(true);
        return isThere
                ? new CopyPlan(headers, tag, sums, Optional.empty())
                : new CopyPlan(headers, tag, HeaderList.EMPTY, wanted);
    }

    /** Whether no byte need be looked at. */
    boolean knowsAll() {
        return tag.isPresent() && computed.isEmpty();
    }

    private static Optional<ChecksumAlgorithm> algorithm(HeaderList sums) {
        return sums.fields().stream().findFirst().flatMap(field -> ChecksumAlgorithm.ofHeader(field.name()));
    }
}

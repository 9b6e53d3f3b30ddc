package io.millrace.gateway.job;

import io.millrace.backend.spi.MultipartUploads.ListedUpload;
import io.millrace.backend.spi.MultipartUploads.Upload;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Which of a key's uploads an intent led to. S3 lets nobody mark an upload, so the only one that can be it is taken for it: begun about
 * then, not there before, and without a part, because no part is sent before the id is noted. Of several none is, as the others are
 * somebody else's.
 *
 * @param own the job's; empty if there is none, or it cannot be told
 * @param unclear those that may be the job's or a client's
 */
record IntendedUpload(Optional<Upload> own, List<ListedUpload> unclear) {
    /** As far as S3 lets the clocks of a client and a server differ. */
    private static final Duration SKEW = Duration.ofMinutes(15);

    /** Those that may be it, as far as the list tells. */
    static List<ListedUpload> candidates(UploadNote intent, List<ListedUpload> listed) {
        List<String> others = intent.others() == null ? List.of() : intent.others();
        return listed.stream()
                .filter(upload -> !others.contains(upload.upload().uploadId()))
                .filter(upload -> Duration.between(intent.intended(), upload.initiated())
                                .abs()
                                .compareTo(SKEW)
                        <= 0)
                .toList();
    }

    /** @param candidates without a part */
    static IntendedUpload of(UploadNote intent, List<ListedUpload> candidates) {
        return intent.others() != null && candidates.size() == 1
                ? new IntendedUpload(Optional.of(candidates.get(0).upload()), List.of())
                : new IntendedUpload(Optional.empty(), candidates);
    }
}

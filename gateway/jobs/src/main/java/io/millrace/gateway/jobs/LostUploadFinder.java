package io.millrace.gateway.jobs;

import io.millrace.backend.spi.MultipartUploads.ListedUpload;
import io.millrace.gateway.jobs.store.PendingUpload;
import java.time.Duration;
import java.util.List;

/**
 * Finds, in the backend's list, the multipart uploads of which one may be that of an intent whose id was lost, by a
 * kill or with a response. S3 uploads cannot be marked, and clients may begin one of the same key in the same moment,
 * also through another gateway or at the backend itself: so none of them is surely the job's.
 */
final class LostUploadFinder {
    /** The clock skew that S3 accepts between client and server. */
    private static final Duration SKEW = Duration.ofMinutes(15);

    private LostUploadFinder() {}

    /** Returns the uploads that may belong to the intent, judged by the list only. */
    static List<ListedUpload> candidates(PendingUpload intent, List<ListedUpload> listed) {
        List<String> others = intent.others() == null ? List.of() : intent.others();
        return listed.stream()
                .filter(upload -> !others.contains(upload.upload().uploadId()))
                .filter(upload -> Duration.between(intent.intended(), upload.initiated())
                                .abs()
                                .compareTo(SKEW)
                        <= 0)
                .toList();
    }
}

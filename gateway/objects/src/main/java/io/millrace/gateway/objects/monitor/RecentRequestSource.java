package io.millrace.gateway.objects.monitor;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectKey;
import java.util.List;

/** Finds recent requests for an object that did not come from the cache alone. */
public interface RecentRequestSource {
    /** Returns the last requests, the newest first. Both names are those that clients use. */
    List<RecentRequest> last(BucketName bucket, ObjectKey key);
}

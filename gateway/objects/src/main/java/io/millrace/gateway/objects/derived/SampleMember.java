package io.millrace.gateway.objects.derived;

import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.ObjectKey;

/**
 * A member of a sample in one version of its archive.
 *
 * @param key by which it is read: that of the archive, a slash and its name
 * @param tag that it has in this version
 */
public record SampleMember(ObjectKey key, ETag tag) {}

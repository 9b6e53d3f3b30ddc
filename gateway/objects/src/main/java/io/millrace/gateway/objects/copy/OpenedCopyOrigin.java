package io.millrace.gateway.objects.copy;

import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.UploadBody;

/** The object that a copy reads, opened; the writer owns the bytes of its body. */
public record OpenedCopyOrigin(ObjectHead head, UploadBody body) {}

package io.millrace.gateway.objects.copy;

import io.millrace.backend.spi.ObjectHead;
import io.millrace.backend.spi.UploadBody;

/** The opened source object of a copy: its metadata and its bytes. */
public record OpenedCopyOrigin(ObjectHead head, UploadBody body) {}

package io.millrace.gateway.control.status;

import java.util.List;

/** The response that lists all backends, sorted by name. */
public record BackendList(List<BackendStatus> backends) {}

package io.millrace.gateway.control;

import java.util.List;

/** Backends by name. */
record BackendList(List<BackendView> backends) {}

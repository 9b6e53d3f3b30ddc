package io.millrace.gateway.control;

/**
 * The response to a notification: how many of its events were applied.
 *
 * @param applied events that made metadata stale
 * @param repeated events that were older than others of the same object
 * @param ignored events about objects that no bucket of this gateway contains
 */
record NotificationResult(int applied, int repeated, int ignored) {}

package io.millrace.gateway.control;

/**
 * What became of the events of a notification.
 *
 * @param heeded what they are about is asked for again
 * @param repeated were known to be behind others
 * @param ignored are about nothing that a bucket of this gateway shows
 */
record NotificationResult(int heeded, int repeated, int ignored) {}

package io.millrace.gateway.objects.write;

/**
 * The sequencer of a change event: a value that orders the events of one object.
 *
 * @param sequencer a hexadecimal number that grows from event to event
 * @param identity distinguishes events with the same number: MinIO numbers them by the time of the content, so that the
 *     delete of an object has the number of its write
 */
public record EventSequencerValue(String sequencer, String identity) {}

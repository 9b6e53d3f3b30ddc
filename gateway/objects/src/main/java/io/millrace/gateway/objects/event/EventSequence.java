package io.millrace.gateway.objects.event;

/**
 * Where an event stands among those of its object that store or delete its content; others have no order.
 *
 * @param sequencer a hexadecimal number that grows from event to event
 * @param identity what tells the event from others with the same number: MinIO numbers them by the time of the content, so that the
 *     delete of an object has the number of its write
 */
public record EventSequence(String sequencer, String identity) {}
